import { CancelledError } from '../errors.ts';
import type { Clock, Stop } from '../ports.ts';

// Node turns a longer wait into none at all.
const LONGEST_MS = 2 ** 31 - 1;

/** The clock of this machine. */
export function nodeClock(): Clock {
  return { now: () => Date.now(), elapsed: () => performance.now(), random: () => Math.random(), wait };
}

function wait(milliseconds: number, stop?: Stop): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clearTimeout(timer);
      reject(new CancelledError('Stopped while waiting.'));
    };
    const timer = setTimeout(
      () => {
        leave?.();
        resolve();
      },
      Math.min(Math.max(0, milliseconds), LONGEST_MS),
    );
    const leave = stop?.onStop(cancel);
    if (stop?.stopped === true) cancel();
  });
}
