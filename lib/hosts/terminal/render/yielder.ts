/** Yields to the event loop during long synchronous work, so that signals and timers are handled. */
import { setImmediate } from 'node:timers/promises';
import { stopped } from '../modes/interrupt.ts';

/** Units of work between two yields: a small part of a second. */
const UNITS_PER_YIELD = 50_000;

export interface Yielder {
  /**
   * Counts completed work.
   * @param units characters, or equivalents
   * @returns a promise to await when it is time to yield; it rejects with a CancelledError after a stop
   */
  spend(units: number): Promise<void> | undefined;
}

/** Creates a yielder. @param signal stops the work */
export function createYielder(signal: AbortSignal | undefined): Yielder {
  let left = UNITS_PER_YIELD;
  const rest = async () => {
    await setImmediate();
    if (signal?.aborted === true) throw stopped();
  };
  return {
    spend: (units) => {
      left -= units;
      if (left > 0) return undefined;
      left = UNITS_PER_YIELD;
      return rest();
    },
  };
}
