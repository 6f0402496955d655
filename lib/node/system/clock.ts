import { CancelledError } from '../../core/errors.ts';
import type { Clock, Stop } from '../../core/ports.ts';

// In Node, a longer timer fires at once.
const MAX_MS = 2 ** 31 - 1;

/** Creates the clock of this machine. */
export function nodeClock(): Clock {
  return { now: () => Date.now(), elapsed: () => performance.now(), random: () => Math.random(), wait };
}

async function wait(milliseconds: number, stop?: Stop): Promise<void> {
  let left = Math.max(0, milliseconds);
  for (; left > MAX_MS; left -= MAX_MS) await waitOnce(MAX_MS, stop);
  await waitOnce(left, stop);
}

function waitOnce(milliseconds: number, stop?: Stop): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clearTimeout(timer);
      reject(new CancelledError('Stopped while waiting.'));
    };
    const timer = setTimeout(() => {
      unsubscribe?.();
      resolve();
    }, milliseconds);
    const unsubscribe = stop?.onStop(cancel);
    if (stop?.stopped === true) cancel();
  });
}
