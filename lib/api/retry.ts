/** When to repeat a request, and how long to wait first. */
import { objectOf } from '../json.ts';
import type { HttpResponse } from '../ports.ts';

export const MAX_ATTEMPTS = 3;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
/** A service that asks for more patience than this is answered with an error at once. */
export const LONGEST_ASKED_MS = 60_000;

/** The service may not have worked on the request, or may work on it next time. */
const TRANSIENT = [408, 500, 502, 503, 504];

/** May this answer be followed by the same request? A 429 was turned away before any work, so it always may. */
export function mayRepeat(status: number, repeatable: boolean): boolean {
  return status === 429 || (repeatable && TRANSIENT.indexOf(status) >= 0);
}

/** Full jitter: anything up to twice the last bound, so that many clients do not come back together. */
export function backoff(attempt: number, random: number): number {
  return Math.floor(random * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt));
}

/** Longer delays are cut to a year, so that every delay is a finite number. */
const LONGEST_MEANT_MS = 31_536_000_000;

/**
 * What the service asks for, in milliseconds, a year at most: `Retry-After` as seconds or as a date, or `retry_after` in the body.
 * @param now milliseconds since the epoch
 */
export function askedDelay(response: HttpResponse, now: number): number | undefined {
  const header = (response.headers['retry-after'] ?? '').trim();
  if (/^\d+(\.\d+)?$/.test(header)) return meant(Number(header) * 1000);
  const date = header === '' ? Number.NaN : Date.parse(header);
  if (Number.isNaN(date)) return delayInBody(response.body);
  // The date is one of the service's clock, and so is that of the answer: this machine's may be hours away from it.
  const sent = Date.parse(response.headers['date'] ?? '');
  return meant(Math.max(0, date - (Number.isNaN(sent) ? now : sent)));
}

function meant(milliseconds: number): number {
  return Math.min(milliseconds, LONGEST_MEANT_MS);
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, s: 1000, h: 3_600_000 };

function delayInBody(body: string): number | undefined {
  try {
    const asked = objectOf(objectOf(JSON.parse(body))['retry_after']);
    const interval = Number(asked['interval'] ?? Number.NaN);
    const unit = String(asked['unit'] ?? 's').toLowerCase();
    const size = unit.startsWith('ms') || unit.startsWith('milli') ? 1 : UNITS[unit.charAt(0)];
    return size === undefined || !(interval >= 0) ? undefined : meant(interval * size);
  } catch {
    return undefined;
  }
}

const MOST_REPEATS = 10;
const EARNED = 0.2;

/**
 * What all requests of all commands of one program may spend on repeats together. Without it, a hundred parallel calls
 * against a failing service would become three hundred.
 */
export class RetryBudget {
  private left = MOST_REPEATS;

  take(): boolean {
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }

  /**
   * Takes note of a success. One that needed a repeat gives that back, so that a service which only asks for patience is
   * never met without any; the others give a little.
   */
  refill(repeated: boolean): void {
    this.left = Math.min(MOST_REPEATS, this.left + (repeated ? 1 : EARNED));
  }
}
