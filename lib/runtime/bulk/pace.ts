/** Limits the rate and concurrency of all requests together: if the service throttles one request, all requests slow down. */
import type { Clock } from '../../core/ports.ts';

export interface PaceOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Upper limit of concurrent requests. */
  readonly maxConcurrency: number;
  /** Maximum requests per second; no limit when absent. */
  readonly perSecond: number | undefined;
}

/** Successful rounds before concurrency grows by one. */
const CAREFUL = 4;

/** Starts with one request and doubles on success, because an error of the first request would probably affect all requests. */
export class Pace {
  private readonly options: PaceOptions;
  private limit = 1;
  private quietUntil = 0;
  private freeAt = 0;
  private answered = 0;
  /** Before the first throttling the capacity is unknown, so concurrency grows fast. */
  private careful = false;

  constructor(options: PaceOptions) {
    this.options = options;
  }

  /** Returns the time until the next request may start, in milliseconds; 0 if it may start now. */
  delay(): number {
    const until = Math.max(this.quietUntil, this.freeAt);
    return Math.max(0, Math.ceil(until - this.options.clock.elapsed()));
  }

  /** A request starts. */
  start(): void {
    const { clock, perSecond } = this.options;
    if (perSecond !== undefined) this.freeAt = Math.max(this.freeAt, clock.elapsed()) + 1000 / perSecond;
  }

  /** Records that a request was answered. */
  succeed(): void {
    this.answered += 1;
    if (this.answered < (this.careful ? this.limit * CAREFUL : 1)) return;
    this.answered = 0;
    this.limit = Math.min(this.options.maxConcurrency, this.careful ? this.limit + 1 : this.limit * 2);
  }

  /** Records that the service throttles: no request starts before the wait is over, and concurrency is halved. */
  throttled(waitMs: number): void {
    // Several concurrent requests may report the same throttling: count it once.
    if (this.options.clock.elapsed() >= this.quietUntil) this.limit = Math.max(1, Math.floor(this.limit / 2));
    this.careful = true;
    this.beQuiet(waitMs);
  }

  /** Records that the circuit breaker tripped: after the wait, a single request probes the service. */
  tripped(waitMs: number): void {
    this.limit = 1;
    this.beQuiet(waitMs);
  }

  /** Returns the current maximum of concurrent requests. */
  readonly concurrency = (): number => this.limit;

  private beQuiet(waitMs: number): void {
    this.quietUntil = Math.max(this.quietUntil, this.options.clock.elapsed() + waitMs);
    this.answered = 0;
  }
}
