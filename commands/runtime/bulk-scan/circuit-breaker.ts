/** How much a bulk scan puts up with: when a failed request slows it down, and when it ends it. */
import { backoff, LONGEST_ASKED_MS } from '../../../lib/api/retry.ts';
import type { Pace } from '../../../lib/bulk/pace.ts';
import { type AisecError, RateLimitError } from '../../../lib/errors.ts';
import type { Clock } from '../../../lib/ports.ts';
import { meaningOf } from './calls.ts';

export interface Patience {
  succeed(): void;
  /**
   * Slows everybody down as far as the failure calls for it.
   * @throws what is given, when no other request is likely to fare better
   */
  fail(thrown: unknown): 'slow' | 'refused' | 'trouble';
  /** A single prompt was refused. @throws the error when that seems to be the fate of every prompt */
  refuse(error: AisecError): void;
}

/** So many requests in a row may get no sound answer. */
const MOST_TROUBLES = 8;
/** So long the service may want nothing but patience, in milliseconds. */
const LONGEST_SLOW_MS = 300_000;
/** When so many prompts are refused and none was taken, it is not the prompts: more likely the name of the profile. */
const MOST_REFUSED = 3;

export function createPatience(pace: Pace, clock: Pick<Clock, 'elapsed' | 'random'>): Patience {
  let [troubles, refused] = [0, 0];
  let hasSucceeded = false;
  let slowSince: number | undefined;

  const slow = (error: unknown) => {
    slowSince ??= clock.elapsed();
    const asked = error instanceof RateLimitError ? error.waitMs : undefined;
    const waited = clock.elapsed() - slowSince;
    if ((asked ?? 0) > LONGEST_ASKED_MS || waited > LONGEST_SLOW_MS) throw error;
    // Without a word from the service: the longer it has lasted, the more.
    pace.slow(asked ?? Math.min(LONGEST_ASKED_MS, Math.max(SHORTEST_SLOW_MS, waited)));
  };

  return {
    succeed: () => {
      pace.succeed();
      hasSucceeded = true;
      troubles = 0;
      slowSince = undefined;
    },
    fail: (thrown) => {
      const meaning = meaningOf(thrown);
      if (meaning === 'stop') throw thrown;
      if (meaning === 'slow') slow(thrown);
      if (meaning === 'trouble') {
        troubles += 1;
        if (troubles >= MOST_TROUBLES) throw thrown;
        pace.falter(backoff(troubles, clock.random()));
      }
      return meaning;
    },
    refuse: (error) => {
      refused += 1;
      if (!hasSucceeded && refused >= MOST_REFUSED) throw error;
    },
  };
}

const SHORTEST_SLOW_MS = 1000;
