/** Requests of each token in a minute; attempts that `retry-count` adds count as requests. */
import { RateLimitError } from '../../../engine/errors.ts';
import type { Clock } from '../../../engine/ports.ts';

const MINUTE_MS = 60_000;
/** Windows that are remembered; a token that has sent nothing for a minute needs none. */
const MOST = 5000;

export interface Rate {
  /** Requests of one token in a minute. */
  readonly most: number;
  /** Counts a request. @returns the count in this minute, and how long the minute lasts, in milliseconds */
  count(owner: string): { readonly current: number; readonly ttl: number };
  /** Counts an attempt. @throws RateLimitError beyond the limit */
  take(owner: string): void;
}

/** Creates the counts. @param most requests of one token in a minute */
export function newRate(most: number, clock: Pick<Clock, 'elapsed'>): Rate {
  const windows = new Map<string, { since: number; current: number }>();
  const count: Rate['count'] = (owner) => {
    const now = clock.elapsed();
    const found = windows.get(owner);
    const window = found !== undefined && now - found.since < MINUTE_MS ? found : { since: now, current: 0 };
    if (windows.size >= MOST) forgetEnded(windows, now);
    windows.set(owner, window);
    window.current += 1;
    return { current: window.current, ttl: MINUTE_MS - (now - window.since) };
  };
  return {
    most,
    count,
    take: (owner) => {
      const { current, ttl } = count(owner);
      if (current <= most) return;
      throw new RateLimitError(`This token may send ${most} requests a minute, and retries count as requests.`, {
        hint: 'Send fewer at once, or a smaller retry-count.',
        retryable: true,
        waitMs: ttl,
      });
    },
  };
}

function forgetEnded(windows: Map<string, { since: number }>, now: number): void {
  for (const [owner, { since }] of windows) if (now - since >= MINUTE_MS) windows.delete(owner);
}

/** Returns the counts as a store of the server's rate limit. */
export function rateStore({ count }: Rate) {
  return class Store {
    incr(owner: string, done: (failure: Error | null, result: { current: number; ttl: number }) => void): void {
      done(null, count(owner));
    }
    child(): this {
      return this;
    }
  };
}
