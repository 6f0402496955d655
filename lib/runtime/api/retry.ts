/** Decides whether to retry a request, and after which delay. A bulk scan counts attempts itself (`bulk-scan/requests.ts`). */
import { objectOf } from '../../core/json.ts';
import type { HttpResponse } from '../../core/ports.ts';

export const MAX_ATTEMPTS = 3;
const INITIAL_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 10_000;
/** Maximum delay: a longer `Retry-After` ends the request with an error at once. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** Statuses of transient failures. */
const TRANSIENT = [408, 500, 502, 503, 504];

/**
 * Returns true if the request may be sent again. After a 429 it always may, because the service rejected it before
 * doing any work.
 */
export function mayRetry(status: number, repeatable: boolean): boolean {
  return status === 429 || (repeatable && TRANSIENT.indexOf(status) >= 0);
}

/** Returns an exponential delay with full jitter, so that clients do not retry at the same time. */
export function backoff(attempt: number, random: number): number {
  return Math.floor(random * Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** attempt));
}

/** Maximum delay, so that every delay is finite. */
const YEAR_MS = 31_536_000_000;

/**
 * Reads the delay in milliseconds, at most a year: `Retry-After` as seconds or as a date, or `retry_after` in the body.
 * If there are several values, the longest counts; for a meaningless value, such as a negative delay, the caller
 * chooses the delay.
 * @param now milliseconds since the epoch
 */
export function retryAfterOf(response: HttpResponse, now: number): number | undefined {
  // Compare with the `Date` of the response, because this machine's clock may be hours off.
  const sent = Date.parse(response.headers['date'] ?? '');
  const [longest] = (response.headers['retry-after'] ?? '')
    .split(/,(?!\s*\d+[ -][a-z])/i)
    .map((value) => delayIn(value.trim(), Number.isNaN(sent) ? now : sent))
    .filter((delay) => delay >= 0)
    .sort((one, other) => other - one);
  return longest === undefined ? delayInBody(response.body) : atMostAYear(longest);
}

function delayIn(value: string, now: number): number {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  // Engines also read other texts, such as -5, as dates.
  return /\d:\d\d/.test(value) ? Date.parse(value) - now : Number.NaN;
}

function atMostAYear(milliseconds: number): number {
  return Math.min(milliseconds, YEAR_MS);
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, s: 1000, h: 3_600_000 };

function delayInBody(body: string): number | undefined {
  try {
    const value = objectOf(objectOf(JSON.parse(body))['retry_after']);
    const interval = Number(value['interval'] ?? Number.NaN);
    const unit = String(value['unit'] ?? 's').toLowerCase();
    const size = unit.startsWith('ms') || unit.startsWith('milli') ? 1 : UNITS[unit.charAt(0)];
    return size === undefined || !(interval >= 0) ? undefined : atMostAYear(interval * size);
  } catch {
    return undefined;
  }
}
