import { CancelledError } from '../errors.ts';
import type { Clock, Stop } from '../ports.ts';

// A longer timer fires at once in Node.
const MAX_MS = 2 ** 31 - 1;

/** Creates the clock of this machine. */
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
        unsubscribe?.();
        resolve();
      },
      Math.min(Math.max(0, milliseconds), MAX_MS),
    );
    const unsubscribe = stop?.onStop(cancel);
    if (stop?.stopped === true) cancel();
  });
}
