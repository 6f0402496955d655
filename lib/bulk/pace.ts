/** Limits the rate and concurrency of all requests together: a throttled request slows all of them down. */
import type { Clock } from '../core/ports.ts';

export interface Pace {
  /** Time until the next request may start, in milliseconds; 0 for now. */
  delay(): number;
  /** A request starts. */
  start(): void;
  /** A request was answered. */
  succeed(): void;
  /** The service throttles: no request starts before the wait is over, and concurrency is halved. */
  throttled(waitMs: number): void;
  /** The circuit breaker tripped: after the wait, a single request probes the service. */
  tripped(waitMs: number): void;
  /** Current maximum of concurrent requests. */
  concurrency(): number;
}

export interface PaceOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Upper limit of concurrent requests. */
  readonly maxConcurrency: number;
  /** Maximum requests per second; no limit when absent. */
  readonly perSecond: number | undefined;
}

/** Starts with one request and doubles on success, because the error of the first request would affect all. */
export function createPace({ clock, maxConcurrency, perSecond }: PaceOptions): Pace {
  let concurrency = 1;
  let quietUntil = 0;
  let freeAt = 0;
  let answered = 0;
  // Before the first throttling the capacity is unknown, so concurrency grows fast.
  let careful = false;

  const beQuiet = (waitMs: number) => {
    quietUntil = Math.max(quietUntil, clock.elapsed() + waitMs);
    answered = 0;
  };

  return {
    delay: () => Math.max(0, Math.ceil(Math.max(quietUntil, freeAt) - clock.elapsed())),
    start: () => {
      if (perSecond !== undefined) freeAt = Math.max(freeAt, clock.elapsed()) + 1000 / perSecond;
    },
    succeed: () => {
      answered += 1;
      if (answered < (careful ? concurrency * CAREFUL : 1)) return;
      answered = 0;
      concurrency = Math.min(maxConcurrency, careful ? concurrency + 1 : concurrency * 2);
    },
    throttled: (waitMs) => {
      // Several concurrent requests may report the same throttling; count it once.
      if (clock.elapsed() >= quietUntil) concurrency = Math.max(1, Math.floor(concurrency / 2));
      careful = true;
      beQuiet(waitMs);
    },
    tripped: (waitMs) => {
      concurrency = 1;
      beQuiet(waitMs);
    },
    concurrency: () => concurrency,
  };
}

/** Successful rounds before concurrency grows by one. */
const CAREFUL = 4;
