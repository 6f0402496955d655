/** Long work in slices: between two of them the event loop sees signals and timers. */
import { setImmediate } from 'node:timers/promises';
import { stopped } from './interrupt.ts';

/** Characters of one slice: a small part of a second, whatever the characters are. */
const SLICE = 50_000;

export interface Slices {
  /**
   * Counts work that was done.
   * @param units characters, or what takes as long as one
   * @returns what to wait for when a slice is full; it rejects with a CancelledError after a stop
   */
  spend(units: number): Promise<void> | undefined;
}

/** Counts one piece of work. @param signal ends it */
export function slicesUntil(signal: AbortSignal | undefined): Slices {
  let left = SLICE;
  const rest = async () => {
    await setImmediate();
    if (signal?.aborted === true) throw stopped();
  };
  return {
    spend: (units) => {
      left -= units;
      if (left > 0) return undefined;
      left = SLICE;
      return rest();
    },
  };
}
