/** Decides whether to retry a request, and after which delay. */
import { objectOf } from '../core/json.ts';
import type { HttpResponse } from '../core/ports.ts';

export const MAX_ATTEMPTS = 3;
const INITIAL_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 10_000;
/** A longer `Retry-After` ends the request with an error at once. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** Statuses of failures that may pass. */
const TRANSIENT = [408, 500, 502, 503, 504];

/** Returns true if the request may be sent again. A 429 was rejected before any work, so it always may. */
export function mayRetry(status: number, repeatable: boolean): boolean {
  return status === 429 || (repeatable && TRANSIENT.indexOf(status) >= 0);
}

/** Returns an exponential delay with full jitter, so that clients do not retry at the same time. */
export function backoff(attempt: number, random: number): number {
  return Math.floor(random * Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** attempt));
}

/** Upper limit of a delay, so that every delay is finite. */
const YEAR_MS = 31_536_000_000;

/**
 * Reads the delay in milliseconds, at most a year: `Retry-After` as seconds or as a date, or `retry_after` in the body.
 * @param now milliseconds since the epoch
 */
export function retryAfterOf(response: HttpResponse, now: number): number | undefined {
  const header = (response.headers['retry-after'] ?? '').trim();
  if (/^\d+(\.\d+)?$/.test(header)) return atMostAYear(Number(header) * 1000);
  const date = header === '' ? Number.NaN : Date.parse(header);
  if (Number.isNaN(date)) return delayInBody(response.body);
  // Compared with the `Date` of the response, because this machine's clock may differ by hours.
  const sent = Date.parse(response.headers['date'] ?? '');
  return atMostAYear(Math.max(0, date - (Number.isNaN(sent) ? now : sent)));
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
