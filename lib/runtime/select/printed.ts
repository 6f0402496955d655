/** The words, titles and ages that tables print, so that a filter, a sort order and an argument accept them too. */

import { isOwn } from '../../core/text/own.ts';
import { heading } from '../output/readable.ts';
import type { Field } from '../output/record.ts';

export type CellKind = 'id' | 'time' | 'number' | 'flag' | 'state' | 'text' | 'rate';

const ID = /(?:^|_)u?u?id$|(?:^|_)ids?$/;
const TIME = /(?:_at|_ts|_time|_online_at|_date)$|^expiry$/;
const STATE = /(?:^|_)(?:status|state|action|outcome|verdict|severity|rating|result|category)$/;

/** Returns the form in which a list prints a field. */
export function kindOf(name: string, { type }: Pick<Field, 'type'>): CellKind {
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (type === 'Date' || TIME.test(last)) return 'time';
  if (type === 'Number') return 'number';
  if (type === 'Boolean') return 'flag';
  if (ID.test(last)) return 'id';
  return STATE.test(last) ? 'state' : 'text';
}

const AGES = /^(?:created|created at|age)$/i;

/** Returns the title of a column. @param column the whole title, such as `Created At` */
export function shortTitle(column: string, kind: CellKind): string {
  if (kind === 'time' && AGES.test(column)) return 'Age';
  if (kind === 'number') return column.replace(/(?<=[a-z]) Count$/, 's');
  if (kind === 'state') return column.replace(/^\S+ \S+ (?=State$)/, '');
  return idTitle(column.replace(/^Detection (?=Technique$)/, '').replace(/ (?:At|TS)$/, ''));
}

/** Returns the title of an id without the id's form: `Security Group ID` for `Security Group UUID`. */
export function idTitle(title: string): string {
  return title.replace(/\bUUID$/, 'ID');
}

/** Returns the titles under which a table may print a field. @param name empty for a value without fields */
export function titlesOf(name: string, field: Field): readonly string[] {
  const whole = field.heading ?? heading(name === '' ? 'value' : name);
  return [whole, shortTitle(whole, kindOf(name, field))];
}

const SHORT_WORDS: Readonly<Record<string, string>> = {
  completed: 'done',
  complete: 'done',
  partially_complete: 'partial',
};

/** Returns the word that a list prints for a state: `done` for `COMPLETED`. */
export function stateWord(text: string): string {
  const word = text.toLowerCase();
  return isOwn(SHORT_WORDS, word) ? (SHORT_WORDS[word] ?? word) : word.replace(/_/g, ' ');
}

/** Removes the mark in front of a printed state, such as `✓ done`. */
export function withoutMark(text: string): string {
  return text.replace(/^[^\p{L}\p{N}\s"'] /u, '');
}

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'];

/** Returns the rank of a severity, 0 for critical; undefined for other strings. */
export function severityRank(text: string): number | undefined {
  const word = text.toLowerCase();
  const rank = SEVERITIES.indexOf(word === 'informational' ? 'info' : word);
  return rank < 0 ? undefined : rank;
}

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)/;
/** Of this century. */
const MILLISECONDS = /^[1-3]\d{12}$/;
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

/** Reads a time of a record, in milliseconds since the epoch; NaN for other texts. A time without a zone is UTC. */
export function momentIn(text: string): number {
  if (MILLISECONDS.test(text)) return Number(text);
  if (!DATE.test(text)) return Number.NaN;
  return Date.parse(WITHOUT_ZONE.test(text) ? `${text.replace(' ', 'T')}Z` : text);
}

const UNITS = [
  ['y', 365 * 86_400],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/**
 * Writes a time as an age, such as `4d`, and a future time as `in 4d`; leaves other texts unchanged. @param now in
 * milliseconds
 */
export function ageOf(text: string, now: number): string {
  const at = momentIn(text);
  if (Number.isNaN(at)) return text;
  const seconds = Math.round((now - at) / 1000);
  const distance = Math.abs(seconds);
  const [unit, size] = UNITS.find(([, each]) => distance >= each) ?? ['s', 1];
  const age = `${Math.floor(distance / size)}${unit}`;
  return seconds < 0 ? `in ${age}` : age;
}
