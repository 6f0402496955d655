import { CancelledError } from '../errors.ts';
import type { Clock } from '../ports.ts';

// Node turns a longer wait into none at all.
const LONGEST_MS = 2 ** 31 - 1;

/** The clock of this machine. Its waits end with a CancelledError when the signal says so. */
export function nodeClock(signal: AbortSignal): Clock {
  const waiting = new Set<() => void>();
  // One listener for all waits: many commands may wait at once, and a signal with many listeners is taken for a leak.
  signal.addEventListener('abort', () => {
    for (const stop of waiting) stop();
  });
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random: () => Math.random(),
    wait: (milliseconds) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(timer);
          waiting.delete(stop);
          reject(new CancelledError('Stopped while waiting.'));
        };
        const end = () => {
          waiting.delete(stop);
          resolve();
        };
        const timer = setTimeout(end, Math.min(Math.max(0, milliseconds), LONGEST_MS));
        waiting.add(stop);
        if (signal.aborted) stop();
      }),
  };
}
