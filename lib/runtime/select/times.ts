/** Reads the times that people write: `2 hours ago`, `yesterday`, `last week`, `2026-11`, `18 Nov 2026`. */
import { momentIn } from './printed.ts';

/** The first and the last millisecond; for a single moment, both are the same. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const DAY_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
  mo: 30 * DAY_MS,
  y: 365 * DAY_MS,
};
const COUNT = '(\\d{1,6}|an?|one)';
const UNIT = '(s|m|h|d|w|y|sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|days?|weeks?|months?|years?)';
const SPAN = new RegExp(`^${COUNT} ?${UNIT}$`);
const LAST = new RegExp(`^(?:the )?(?:last|past) (?:${COUNT} ?)?${UNIT}$`);

/** Reads a length of time such as `4d`, `12h` or `2 weeks`, and its unit, in milliseconds; undefined for other texts. */
export function spanOf(text: string): { readonly length: number; readonly unit: number } | undefined {
  const match = SPAN.exec(text.trim().toLowerCase());
  return match === null ? undefined : lengthOf(match);
}

function lengthOf([, count = '', name = '']: RegExpExecArray) {
  const unit = UNITS[name.startsWith('mo') ? 'mo' : name.charAt(0)] ?? 0;
  return { length: (Number(count) || 1) * unit, unit };
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';
const NAMED = [
  new RegExp(`^(?:${DAY} )?${MONTH}(?: (\\d{4}))?$`),
  new RegExp(`^${MONTH} ${DAY}(?:,? (\\d{4}))?$`),
] as const;
const WEEKDAY = /^(last )?(sun|mon|tue|wed|thu|fri|sat)(?:s?day|nesday|rsday|urday)?$/;

/**
 * Reads a time, or a calendar day, week, month or year, in UTC. @param now in milliseconds since the epoch @returns
 * undefined for any other text
 */
export function rangeOf(typed: string, now: number): Range | undefined {
  const text = typed.trim().toLowerCase().replace(/\s+/g, ' ');
  return isoRange(text) ?? calendar(text, now) ?? relative(text, now) ?? named(text, now);
}

function range(from: number, end: number): Range {
  return { from, to: end - 1 };
}

function moment(at: number): Range | undefined {
  return Number.isNaN(at) ? undefined : { from: at, to: at };
}

const ISO = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[t ](\d\d):(\d\d)(?::(\d\d))?(\.\d+)?(z|[+-]\d\d:?\d\d)?)?)?)?$/;

/**
 * Reads an ISO time that lasts as long as its last unit; a time without a zone is UTC. Rejects a day that does not
 * exist.
 */
function isoRange(text: string): Range | undefined {
  const [, year, month, day, hour, , second, fraction] = ISO.exec(text) ?? [];
  if (year === undefined) return moment(momentIn(text));
  const date = dayRange(Number(year), month === undefined ? undefined : Number(month) - 1, day);
  if (date === undefined || hour === undefined) return date;
  const from = momentIn(text.toUpperCase().replace(' ', 'T'));
  const length = fraction !== undefined ? 0 : second !== undefined ? 1000 : 60_000;
  return Number.isNaN(from) ? undefined : { from, to: from + Math.max(0, length - 1) };
}

function dayRange(year: number, month: number | undefined, day: string | undefined): Range | undefined {
  if (month === undefined) return range(Date.UTC(year, 0), Date.UTC(year + 1, 0));
  if (month > 11 || month < 0) return undefined;
  if (day === undefined) return range(Date.UTC(year, month), Date.UTC(year, month + 1));
  const from = Date.UTC(year, month, Number(day));
  return new Date(from).getUTCMonth() === month && Number(day) > 0 ? range(from, from + DAY_MS) : undefined;
}

function relative(text: string, now: number): Range | undefined {
  if (text === 'now') return moment(now);
  const last = LAST.exec(text);
  if (last !== null) return { from: now - lengthOf(last).length, to: now };
  const [, ahead, past] = /^(?:in (.+)|(.+) ago)$/.exec(text) ?? [];
  const span = spanOf(ahead ?? past ?? '');
  return span === undefined ? undefined : moment(now + (ahead === undefined ? -span.length : span.length));
}

const SHIFTS: Readonly<Record<string, number>> = { last: -1, previous: -1, this: 0, next: 1 };
const DAYS = ['yesterday', 'today', 'tomorrow'];

function calendar(text: string, now: number): Range | undefined {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const day = DAYS.indexOf(text) - 1;
  if (day >= -1) return range(today + day * DAY_MS, today + (day + 1) * DAY_MS);
  const date = new Date(now);
  const [year, month, weekday] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDay()];
  const [, isLast, name] = WEEKDAY.exec(text) ?? [];
  if (name !== undefined) {
    const back = (weekday - WEEKDAYS.indexOf(name) + 7) % 7;
    const from = today - (back === 0 && isLast !== undefined ? 7 : back) * DAY_MS;
    return range(from, from + DAY_MS);
  }
  const [, which = '', unit] = /^(last|previous|this|next) (week|month|year)$/.exec(text) ?? [];
  const shift = SHIFTS[which] ?? 0;
  if (unit === 'year') return dayRange(year + shift, undefined, undefined);
  if (unit === 'month') return range(Date.UTC(year, month + shift), Date.UTC(year, month + shift + 1));
  if (unit !== 'week') return undefined;
  const monday = today - ((weekday + 6) % 7) * DAY_MS + shift * 7 * DAY_MS;
  return range(monday, monday + 7 * DAY_MS);
}

/** Reads a month by name, or a day of a month; without a year, the latest one that has begun. */
function named(text: string, now: number): Range | undefined {
  const [first, second] = NAMED.map((form) => form.exec(text));
  const [day, name, year] =
    first != null ? [first[1], first[2], first[3]] : second != null ? [second[2], second[1], second[3]] : [];
  if (name === undefined) return undefined;
  const month = MONTHS.indexOf(name.slice(0, 3));
  const thisYear = new Date(now).getUTCFullYear();
  const found = dayRange(Number(year ?? thisYear), month, day);
  if (year !== undefined || found === undefined || found.from <= now) return found;
  return dayRange(thisYear - 1, month, day);
}
