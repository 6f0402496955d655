/** Backpressure and circuit breaker of a bulk scan: failed requests slow it down, or end it. */

import { type AisecError, RateLimitError } from '../../../lib/core/errors.ts';
import type { Clock } from '../../../lib/core/ports.ts';
import { backoff, MAX_RETRY_AFTER_MS } from '../../../lib/runtime/api/retry.ts';
import type { Pace } from '../../../lib/runtime/bulk/pace.ts';
import { classifyFailure } from './calls.ts';

/** Maximum consecutive failures before the circuit breaker opens. */
const MAX_FAILURES = 8;
/** Bounds of a wait without Retry-After, and of uninterrupted throttling, in milliseconds. */
const [MIN_THROTTLE_MS, MAX_THROTTLED_MS] = [1000, 300_000];
/** Maximum rejected prompts before the first accepted prompt: beyond it, the cause is probably the profile name. */
const MAX_REFUSED = 3;

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

export function createCircuitBreaker(pace: Pace, clock: Pick<Clock, 'elapsed' | 'random'>) {
  let [failures, refused] = [0, 0];
  let hasSucceeded = false;
  let throttledSince: number | undefined;

  const throttle = (error: unknown) => {
    throttledSince ??= clock.elapsed();
    const asked = error instanceof RateLimitError ? error.waitMs : undefined;
    const waited = clock.elapsed() - throttledSince;
    if ((asked ?? 0) > MAX_RETRY_AFTER_MS || waited > MAX_THROTTLED_MS) throw error;
    // Without Retry-After, the wait grows with the time already throttled.
    pace.throttled(asked ?? Math.min(MAX_RETRY_AFTER_MS, Math.max(MIN_THROTTLE_MS, waited)));
  };

  return {
    succeed: () => {
      pace.succeed();
      hasSucceeded = true;
      failures = 0;
      throttledSince = undefined;
    },
    /**
     * Slows all requests down as the failure requires. @throws the failure itself when the circuit breaker opens
     */
    fail: (thrown: unknown): 'throttled' | 'refused' | 'unavailable' => {
      const kind = classifyFailure(thrown);
      if (kind === 'fatal') throw thrown;
      if (kind === 'throttled') throttle(thrown);
      if (kind === 'unavailable') {
        failures += 1;
        if (failures >= MAX_FAILURES) throw thrown;
        pace.tripped(backoff(failures, clock.random()));
      }
      return kind;
    },
    /** Notes that a single prompt was rejected. @returns the error, if the service is likely to reject every prompt */
    refuse: (error: AisecError): AisecError | undefined => {
      refused += 1;
      return refused >= MAX_REFUSED && !hasSucceeded ? error : undefined;
    },
  };
}
