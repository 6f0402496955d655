/** Requests of each token in a minute; attempts that `retry-count` adds count as requests. */
import { RateLimitError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';

const MINUTE_MS = 60_000;
/** Windows at which ended windows are forgotten. */
const MAX_WINDOWS = 5000;

/** Counts the requests of each token. */
export class Rate {
  /** Requests of one token in a minute. */
  readonly limit: number;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #windows = new Map<string, { since: number; current: number }>();

  constructor(limit: number, clock: Pick<Clock, 'elapsed'>) {
    this.limit = limit;
    this.#clock = clock;
  }

  /** Counts a request. @returns the count in this minute, and how long the minute lasts, in milliseconds */
  count(owner: string): { readonly current: number; readonly ttl: number } {
    const now = this.#clock.elapsed();
    const found = this.#windows.get(owner);
    const window = found !== undefined && now - found.since < MINUTE_MS ? found : { since: now, current: 0 };
    if (this.#windows.size >= MAX_WINDOWS) this.#forgetEnded(now);
    this.#windows.set(owner, window);
    window.current += 1;
    return { current: window.current, ttl: MINUTE_MS - (now - window.since) };
  }

  /** Counts an attempt. @throws RateLimitError beyond the limit */
  take(owner: string): void {
    const { current, ttl } = this.count(owner);
    if (current <= this.limit) return;
    throw new RateLimitError(`This token may send ${this.limit} requests a minute, and retries count as requests.`, {
      hint: 'Send fewer at once, or a smaller retry-count.',
      retryable: true,
      waitMs: ttl,
    });
  }

  #forgetEnded(now: number): void {
    for (const [owner, { since }] of this.#windows) if (now - since >= MINUTE_MS) this.#windows.delete(owner);
  }
}
