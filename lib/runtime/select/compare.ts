/** Compares record values with typed values, and with one another. An undecided comparison counts as false. */
import { cell } from '../output/readable.ts';
import { type Condition, flagNamed, type NamedField, numberIn, type Operator, type SortKey } from './conditions.ts';
import { valueAt } from './fields.ts';
import { ageOf, momentIn, severityRank, stateWord, withoutMark } from './printed.ts';
import { rangeOf, spanOf } from './times.ts';

/** Whether a condition holds; `undecided` if the values cannot be compared. */
export type Outcome = boolean | 'undecided';

/** Creates the test of one condition. @param now in milliseconds since the epoch, for ages */
export function testOf(condition: Condition, now: number): (record: unknown) => Outcome {
  const { operator, value: typed } = condition;
  const isNegative = operator === '!=' || operator === '!~';
  const compare = isNegative ? positive(condition) : condition;
  return (record) => {
    const values = valuesOf(record, condition);
    if (values.length === 0)
      return typed === '' ? !isNegative : isNegative || operator === '=' || operator === '~' ? false : 'undecided';
    if (typed === '') return isNegative;
    const outcomes = values.map((value) => holds(value, compare, now));
    const any = outcomes.includes(true) ? true : outcomes.includes('undecided') ? 'undecided' : false;
    return any === 'undecided' ? any : any !== isNegative;
  };
}

function positive(condition: Condition): Condition {
  return { ...condition, operator: condition.operator === '!=' ? '=' : '~' };
}

/** Lists the values of a field: each item of a list, plus the text that the table shows. */
function valuesOf(record: unknown, { name, field }: NamedField): unknown[] {
  const value = valueAt(record, name);
  const isSet = (each: unknown) => each !== undefined && each !== null && each !== '';
  if (!isSet(value)) return [];
  const items: unknown[] = (Array.isArray(value) ? value : [value]).filter(isSet);
  // Never compare a secret: a filter could reveal it one letter at a time.
  if (field.secret === true && field.show === undefined) return [];
  if (field.show === undefined && field.type !== 'Unknown') return items;
  const shown = cell(field.show === undefined ? value : field.show(value)).replace(/\s*\n\s*/g, ', ');
  return [...(field.secret === true ? [] : items), shown].filter(isSet);
}

function holds(value: unknown, condition: Condition, now: number): Outcome {
  const { operator, value: typed, kind } = condition;
  if (typeof value === 'object') return 'undecided';
  const text = String(value);
  if (operator === '~') return isInside(typed, text) || isInside(typed, stateWord(text));
  if (operator === '=') return equals(value, condition, now);
  if (kind === 'time') return ordered(timeOrder(text, condition, now), operator);
  if (typeof value === 'number') {
    const wanted = numberIn(typed);
    return ordered(wanted === undefined ? undefined : value - wanted, operator);
  }
  const [rank, wanted] = [severityRank(text), severityRank(withoutMark(typed))];
  // Critical has rank 0, and is the highest severity.
  if (rank !== undefined || wanted !== undefined) {
    return ordered(rank === undefined || wanted === undefined ? undefined : wanted - rank, operator);
  }
  return ordered(textOrder(text, typed), operator);
}

function isInside(part: string, text: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

function equals(value: unknown, { value: typed, kind }: Condition, now: number): boolean {
  const text = String(value);
  if (typeof value === 'boolean') return flagNamed(typed) === value;
  if (typeof value === 'number') {
    // A printed rate is rounded.
    const shown = /^\s*\d+ ?%\s*$/.test(typed) ? Math.round(value) : value;
    return numberIn(typed) === shown;
  }
  const [wanted, own] = [typed.toLowerCase(), text.toLowerCase()];
  if (own === wanted || stateWord(text) === stateWord(withoutMark(typed))) return true;
  if (kind === 'time') return ageOf(text, now) === wanted || isTimeAt(momentIn(text), wanted, now);
  if (kind === 'id' && /^[0-9a-f][0-9a-f-]{7,}$/.test(wanted)) return own.startsWith(wanted);
  if (wanted.endsWith('…') && wanted.length > 1) return own.startsWith(wanted.slice(0, -1));
  return wanted.startsWith('…') && wanted.length > 1 && own.endsWith(wanted.slice(1));
}

/** Reports whether a time is as old as `3d`, as far ahead as `in 3d`, or within `yesterday`. */
function isTimeAt(at: number, typed: string, now: number): boolean {
  const isAhead = typed.startsWith('in ');
  const span = spanOf(typed.replace(/^in | ago$/g, ''));
  const distance = isAhead ? at - now : now - at;
  if (span !== undefined) return distance >= span.length && distance < span.length + span.unit;
  const range = rangeOf(typed, now);
  return range !== undefined && at >= range.from && at <= range.to;
}

/** Compares ages with a span, such as `4d`, and times with a time or a day, such as `4d ago`, `in 30d` or `yesterday`. */
function timeOrder(text: string, { value: typed, isAge, operator }: Condition, now: number): number | undefined {
  const at = momentIn(text);
  const span = spanOf(typed);
  // A future time has no age.
  if (span !== undefined) return at > now ? undefined : now - at - span.length;
  const range = rangeOf(typed, now);
  if (range === undefined) return undefined;
  // A time is later than a day only after the day's end. An older record has a larger age.
  const isAfterEnd = (operator === '>' || operator === '<=') !== isAge;
  return (isAge ? -1 : 1) * (at - (isAfterEnd ? range.to : range.from));
}

const VERSION = /^\d{1,9}(?:\.\d{1,9})*$/;

/** Compares two strings, and numbers within them by size. A number and a string have no order. */
function textOrder(text: string, typed: string): number | undefined {
  // In a version such as `1.10.2`, 10 comes after 9.
  if ([text, typed].every((each) => VERSION.test(each)) && [text, typed].some((each) => /\..*\./.test(each))) {
    return COLLATOR.compare(text, typed);
  }
  const numbers = [text, typed].map((each) => numberIn(each));
  const [own, wanted] = numbers;
  if (own !== undefined && wanted !== undefined) return own - wanted;
  return own !== undefined || wanted !== undefined ? undefined : COLLATOR.compare(text, typed);
}

function ordered(distance: number | undefined, operator: Operator): Outcome {
  if (distance === undefined || Number.isNaN(distance)) return 'undecided';
  if (operator === '<') return distance < 0;
  if (operator === '<=') return distance <= 0;
  return operator === '>' ? distance > 0 : distance >= 0;
}

const COLLATOR = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Creates an order by several keys. Records without a value come last, in either direction. */
export function orderOf(keys: readonly SortKey[]): (one: unknown, other: unknown) => number {
  const orders = keys.map((key) => ({ read: sortValue(key), sign: key.isDescending ? -1 : 1 }));
  return (one, other) => {
    for (const { read, sign } of orders) {
      const order = valueOrder(read(one), read(other), sign);
      if (order !== 0) return order;
    }
    return 0;
  };
}

type SortValue = number | string | undefined;

/** Creates the function that reads by what a record is sorted. */
export function sortValue({ kind, isAge, ...key }: SortKey): (record: unknown) => SortValue {
  return (record) => {
    const [value] = valuesOf(record, { kind, isAge, ...key }).slice(-1);
    if (value === undefined || typeof value === 'number') return value;
    if (typeof value === 'boolean') return value ? 0 : 1;
    const text = cell(value);
    if (kind === 'time') {
      const at = momentIn(text);
      return Number.isNaN(at) ? undefined : isAge ? -at : at;
    }
    return severityRank(text) ?? (kind === 'state' ? stateWord(text) : text);
  };
}

/** Compares what `sortValue` reads. @param sign -1 for descending */
export function valueOrder(one: SortValue, other: SortValue, sign: number): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  if (typeof one === 'number' && typeof other === 'number') return sign * (one - other);
  // Numbers come before strings, and severities before other words.
  if (typeof one !== typeof other) return sign * (typeof one === 'number' ? -1 : 1);
  return sign * COLLATOR.compare(String(one), String(other));
}
