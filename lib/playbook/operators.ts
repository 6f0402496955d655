/**
 * Comparison operators of conditions and filters, by the platform's names. A list matches if one of its items matches; a
 * value that cannot be compared is an error.
 */
import { UsageError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';

type Compare = (left: unknown, right: unknown, ignoreCase: boolean) => boolean;

/** Each operator throws a UsageError for values that it cannot compare. */
export const OPERATORS = {
  isEqualString: texts((left, right) => left === right),
  isNotEqualString: texts((left, right) => left !== right),
  containsString: texts((left, right) => left.includes(right)),
  notContainsString: texts((left, right) => !left.includes(right)),
  isEqualNumber: measured(numberOf, (left, right) => left === right),
  greaterThan: measured(numberOf, (left, right) => left > right),
  greaterThanOrEqual: measured(numberOf, (left, right) => left >= right),
  lessThan: measured(numberOf, (left, right) => left < right),
  lessThanOrEqual: measured(numberOf, (left, right) => left <= right),
  isBefore: measured(momentOf, (left, right) => left < right),
  isAfter: measured(momentOf, (left, right) => left > right),
  isTrue: (left) => anyItem(left, (item) => textOf(item).toLowerCase() === 'true'),
  isFalse: (left) => anyItem(left, (item) => textOf(item).toLowerCase() === 'false'),
  isExists: (left) => !isAbsent(left),
  isNotExists: (left) => isAbsent(left),
  isEmpty: (left) => isEmpty(left),
  isNotEmpty: (left) => !isEmpty(left),
} satisfies Record<string, Compare>;

export type OperatorName = keyof typeof OPERATORS;

function texts(holds: (left: string, right: string) => boolean): Compare {
  return (left, right, ignoreCase) => {
    const text = (value: unknown) => (ignoreCase ? textOf(value).toLowerCase() : textOf(value));
    const wanted = text(right);
    return anyItem(left, (item) => holds(text(item), wanted));
  };
}

/** Compares numbers or times. A missing value matches nothing. */
function measured(
  read: (value: unknown) => number | undefined,
  holds: (left: number, right: number) => boolean,
): Compare {
  return (left, right) => {
    const wanted = read(right);
    return anyItem(left, (item) => {
      const found = read(item);
      return found !== undefined && wanted !== undefined && holds(found, wanted);
    });
  };
}

function anyItem(value: unknown, fits: (item: unknown) => boolean): boolean {
  return Array.isArray(value) ? value.some(fits) : fits(value);
}

function textOf(value: unknown): string {
  const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (one === undefined || one === null) return '';
  if (typeof one !== 'object') return String(one);
  throw new UsageError(`${Array.isArray(one) ? 'A list' : 'An object'} cannot be compared with a text or a number.`, {
    hint: 'Name the member to compare, or keep one item with a filter.',
  });
}

function numberOf(value: unknown): number | undefined {
  return measureOf(value, 'number', Number);
}

function momentOf(value: unknown): number | undefined {
  return measureOf(value, 'time', Date.parse);
}

function measureOf(value: unknown, noun: string, parse: (text: string) => number): number | undefined {
  const text = textOf(value).trim();
  const measure = text === '' ? undefined : parse(text);
  if (measure === undefined || !Number.isNaN(measure)) return measure;
  throw new UsageError(`"${text.slice(0, 60)}" is not a ${noun}, and cannot be compared as one.`);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isEmpty(value: unknown): boolean {
  if (isAbsent(value) || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

type Arguments = Readonly<Record<string, unknown>>;

interface Transformer {
  readonly args: readonly string[];
  readonly apply: (value: unknown, args: Arguments) => unknown;
}

/** Each transformer throws a UsageError if an argument must be a number and is not. */
export const TRANSFORMERS = {
  count: plain((value) => itemsOf(value).length),
  uniq: plain((value) => Array.from(new Map(itemsOf(value).map((item) => [JSON.stringify(item), item])).values())),
  toLowerCase: each((text) => text.toLowerCase()),
  toUpperCase: each((text) => text.toUpperCase()),
  slice: {
    args: ['from', 'to'],
    apply: (value, { from, to }) => itemsOf(value).slice(indexOf('from', from) ?? 0, indexOf('to', to)),
  },
} satisfies Record<string, Transformer>;

export type TransformerName = keyof typeof TRANSFORMERS;

function plain(apply: (value: unknown) => unknown): Transformer {
  return { args: [], apply };
}

function each(change: (text: string) => string): Transformer {
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed);
    return typeof value === 'string' ? change(value) : value;
  };
  return plain(changed);
}

function itemsOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function indexOf(name: string, value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const index = Number(value);
  if (Number.isInteger(index)) return index;
  throw new UsageError(`"${String(value).slice(0, 60)}" is not a whole number, and slice needs it for "${name}".`);
}
