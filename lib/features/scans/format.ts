/** Formats values of a report. */

import { textOf } from '../../core/received.ts';
import { isoDate } from '../../core/text/date.ts';
import { type Html, html } from './escape.ts';

export const MISSING: Html = html`<span class="missing">not reported</span>`;

/** Formats a number with separated thousands and at most two decimals. */
export function figure(value: number): string {
  const [whole = '', decimals] = String(Number(value.toFixed(2))).split('.');
  const separated = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === undefined ? separated : `${separated}.${decimals}`;
}

/** Formats a percentage. @param value from 0 to 100 */
export function percentage(value: number): string {
  return `${figure(value)}\u00a0%`;
}

/** Formats a success rate, which may be missing, or contradicted by the service's counts. */
export function rate(asr: number | 'contradicted' | undefined): Html {
  if (asr === 'contradicted') return html`<span class="missing">contradicted</span>`;
  return asr === undefined ? MISSING : html`${percentage(asr)}`;
}

/** Converts an identifier such as TOOL_MISUSE to words; returns other text unchanged. */
export function worded(text: string): string {
  if (!/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(text)) return text;
  return text.slice(0, 1) + text.slice(1).toLowerCase().replaceAll('_', ' ');
}

/** Formats a count with its noun: `1 attack`, `3 attacks`. */
export function counted(count: number, noun: string): string {
  return `${figure(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns `part` of `whole` in percent; undefined if `whole` is 0. */
export function share(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || whole <= 0 ? undefined : (part / whole) * 100;
}

/** Shortens a long text and adds the number of characters left out. */
export function shortenedHtml(text: string, most: number): Html {
  if (text.length <= most) return html`${text}`;
  const start = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  return html`${start}<span class="cut">… ${counted(text.length - start.length, 'more character')} left out</span>`;
}

/** Renders an untrusted name, shortened and with isolated text direction. */
export function name(value: unknown): Html {
  const text = textOf(value);
  return text === undefined ? MISSING : html`<bdi>${shortenedHtml(text, 160)}</bdi>`;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Parses a time to milliseconds since the epoch; undefined if invalid. A time without a zone is UTC, as everywhere. */
export function timeOf(value: unknown): number | undefined {
  const iso = isoDate(textOf(value));
  const time = typeof iso === 'string' && /^\d{4}-.*Z$/.test(iso) ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Formats a time as `17 November 2026, 20:25 UTC`; other text is shown unchanged. */
export function moment(value: unknown): Html {
  const time = timeOf(value);
  if (time === undefined) return name(value);
  const date = new Date(time);
  const clock = date.toISOString().slice(11, 16);
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
  return html`<time datetime="${date.toISOString()}">${day}, ${clock} UTC</time>`;
}

/** Formats a day without its year, such as `17 Nov`; nothing for other text. */
export function shortDay(value: unknown): string {
  const time = timeOf(value);
  if (time === undefined) return '';
  const date = new Date(time);
  return `${date.getUTCDate()} ${(MONTHS[date.getUTCMonth()] ?? '').slice(0, 3)}`;
}

/** Formats a duration such as `1 h 20 min`; undefined if unknown. */
export function durationBetween(from: unknown, to: unknown): string | undefined {
  const [start, end] = [timeOf(from), timeOf(to)];
  const minutes = start === undefined || end === undefined ? Number.NaN : Math.round((end - start) / 60_000);
  if (Number.isNaN(minutes) || minutes < 0) return undefined;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return rest === 0 ? 'less than a minute' : `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}
