/** How fast requests may follow each other, for all of them together: a service that asks for patience means everybody. */
import type { Clock } from '../ports.ts';

export interface Pace {
  /** Time until the next request may start, in milliseconds; 0 for now. */
  delay(): number;
  /** A request starts. */
  start(): void;
  /** A request was answered. */
  succeed(): void;
  /** The service wants less: nobody asks before that time is over, and half as many together. */
  throttled(waitMs: number): void;
  /** The service is in trouble: after that time, one request is to find out whether it is over. */
  tripped(waitMs: number): void;
  /** How many requests may be under way together. */
  concurrency(): number;
}

export interface PaceOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Most requests under way together. */
  readonly maxConcurrency: number;
  /** Most requests a second; as many as come when absent. */
  readonly perSecond: number | undefined;
}

/** It begins with one request, and doubles when that is answered: what is wrong with the first is wrong with all. */
export function createPace({ clock, maxConcurrency, perSecond }: PaceOptions): Pace {
  let concurrency = 1;
  let quietUntil = 0;
  let freeAt = 0;
  let answered = 0;
  // Until the first time that the service wants less, how much it takes is unknown, and found out quickly.
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
      // Several requests under way hear of the same shortage; it is one.
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

/** Rounds of requests that must go well before one more is tried. */
const CAREFUL = 4;
