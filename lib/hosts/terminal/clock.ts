import { setTimeout as sleep } from 'node:timers/promises';
import { CancelledError } from '../../errors.ts';
import type { Clock } from '../../ports.ts';

// Node turns a longer wait into none at all.
const LONGEST_MS = 2 ** 31 - 1;

/** The clock of this machine. Its waits end with a CancelledError when the signal says so. */
export function nodeClock(signal: AbortSignal): Clock {
  return {
    now: () => Date.now(),
    random: () => Math.random(),
    async wait(milliseconds) {
      try {
        await sleep(Math.min(Math.max(0, milliseconds), LONGEST_MS), undefined, { signal });
      } catch {
        throw new CancelledError('Stopped while waiting.');
      }
    },
  };
}
