/** Reads the expressions of `--filter` and `--sort`: field names, comparisons and values. */

import { UsageError } from '../../core/errors.ts';
import { didYouMean } from '../arguments/suggest.ts';
import { type Field, type Fields, WHOLE } from '../output/record.ts';
import { fieldAt } from './fields.ts';
import { type CellKind, kindOf, titlesOf } from './printed.ts';
import { rangeOf, spanOf } from './times.ts';

export type Operator = '=' | '!=' | '~' | '!~' | '<' | '<=' | '>' | '>=';

/** A field of a record, found by its name or column title. */
export interface NamedField {
  readonly name: string;
  readonly field: Field;
  readonly kind: CellKind;
  /** The user named it by its title `Age`: a larger value is an earlier time. */
  readonly isAge: boolean;
}

export interface Condition extends NamedField {
  readonly operator: Operator;
  readonly value: string;
}

export interface SortKey extends NamedField {
  readonly isDescending: boolean;
}

const HOW = "Write FIELD=VALUE, with =, !=, ~ (contains), !~, <, <=, > or >=, such as 'status=done,asr>20'.";
const OPERATOR = /==|!=|!~|<=|>=|[=~<>]/;

/** Splits a part at its first comparison; a quote before it is not allowed. */
function comparisonIn(part: string): { name: string; operator: string; value: string } | undefined {
  const match = OPERATOR.exec(part);
  const name = part.slice(0, match?.index).trim();
  if (match === null || /["']/.test(name)) return undefined;
  const [operator] = match;
  return { name, operator, value: part.slice(match.index + operator.length).trim() };
}

/** Reads conditions that must all hold. @throws UsageError for an unknown field, or a part without a comparison */
export function parseConditions(texts: readonly string[], fields: Fields): Condition[] {
  return texts.flatMap((text) => partsOf(text).map((part) => conditionOf(part, fields)));
}

function conditionOf(part: string, fields: Fields): Condition {
  const comparison = comparisonIn(part);
  if (comparison === undefined) throw new UsageError(`--filter: "${shown(part)}" compares nothing.`, { hint: HOW });
  const { name, operator: typed, value } = comparison;
  const operator = (typed === '==' ? '=' : typed) as Operator;
  const text = /^(?:"[\s\S]*"|'[\s\S]*')$/.test(value) && value.length > 1 ? value.slice(1, -1) : value;
  if (text === '' && operator !== '=' && operator !== '!=') {
    throw new UsageError(`--filter: "${shown(part)}" has no value.`, { hint: HOW });
  }
  const field = namedField('--filter', name, fields);
  const wanted = text === '' || operator.endsWith('~') ? undefined : unreadable(field.kind, text);
  if (wanted === undefined) return { ...field, operator, value: text };
  throw new UsageError(`--filter: "${shown(part)}": ${field.name} is ${wanted.what}, and "${shown(text)}" is not.`, {
    hint: `Write ${wanted.how}.`,
  });
}

const READABLE: Readonly<Partial<Record<CellKind, { isRead: (text: string) => boolean; what: string; how: string }>>> =
  {
    time: {
      isRead: (text) => (spanOf(text.replace(/^in /i, '')) ?? rangeOf(text, 0)) !== undefined,
      what: 'a time',
      how: "a day such as 2026-11-18, 'yesterday', 'last week', 'nov 18' or '2 hours ago'; 'in 30d'; or an age, such as 4d",
    },
    number: { isRead: (text) => numberIn(text) !== undefined, what: 'a number', how: 'a number' },
    flag: { isRead: (text) => flagNamed(text) !== undefined, what: 'yes or no', how: 'yes or no' },
  };

/** Describes a field's values if the text cannot be compared with them: such a filter would leave an empty list. */
function unreadable(kind: CellKind, text: string) {
  const form = READABLE[kind];
  return form === undefined || form.isRead(text) ? undefined : form;
}

/** Splits at commas outside quotes. */
function partsOf(text: string): string[] {
  const parts = text.match(/(?:"[^"]*"|'[^']*'|[^,])+/g) ?? [];
  if (parts.length === 0) throw new UsageError('--filter is empty.', { hint: HOW });
  parts.forEach((part, at) => {
    const before = parts[at - 1];
    if (before === undefined || comparisonIn(part) !== undefined) return;
    const name = comparisonIn(before)?.name ?? 'FIELD';
    throw new UsageError(`--filter: "${shown(part)}" compares nothing.`, {
      hint: `A comma separates conditions; quote a value that has one: ${name}="..., ...".`,
    });
  });
  return parts;
}

/** Reads `FIELD[:asc|:desc]`, separated by commas. @throws UsageError for an unknown field or direction */
export function parseSort(text: string, fields: Fields): SortKey[] {
  const hint = 'Write FIELD or FIELD:desc; a comma separates fields.';
  const parts = text.split(',').map((part) => part.trim());
  if (parts.some((part) => part === '')) throw new UsageError('--sort names no field.', { hint });
  return parts.map((part) => {
    const [name = '', direction = 'asc', ...rest] = part.split(':').map((each) => each.trim());
    const word = direction.toLowerCase();
    if ((word !== 'asc' && word !== 'desc') || rest.length > 0) {
      throw new UsageError(`--sort: "${shown(part)}" has no known direction.`, { hint });
    }
    return { ...namedField('--sort', name, fields), isDescending: word === 'desc' };
  });
}

/** Finds a field by its name or column title; ignores case. */
function namedField(option: string, typed: string, fields: Fields): NamedField {
  const folded = fold(typed);
  const entries = Object.entries(fields);
  const entry =
    entries.find(([name]) => name === typed && name !== WHOLE) ??
    entries.find(([name]) => fold(name) === folded && name !== WHOLE) ??
    entries.find(([name, field]) => titlesOf(name, field).some((title) => fold(title) === folded));
  const member = entry === undefined ? fieldAt(fields, typed) : undefined;
  const [name, field] = entry ?? [typed, member];
  if (field === undefined || typed === '') throw unknownField(option, typed, fields);
  return { name, field, kind: kindOf(name, field), isAge: name !== typed && folded === 'age' };
}

function unknownField(option: string, typed: string, fields: Fields): UsageError {
  const names = Object.entries(fields).map(([name, field]) =>
    name === WHOLE ? fold(titlesOf(name, field)[0] ?? '') : name,
  );
  const titles = Object.entries(fields).flatMap(([name, field]) => titlesOf(name, field).map(fold));
  const near = didYouMean(fold(typed), [...new Set([...names, ...titles])]);
  return new UsageError(`${option}: there is no field "${shown(typed)}" in this list.`, {
    hint: [near, `Fields: ${names.join(', ')}.`].filter((part) => part !== undefined).join(' '),
  });
}

/** Treats `Sub-category`, `sub category` and `sub_category` as the same name. */
function fold(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '_');
}

function shown(text: string): string {
  return text.trim().slice(0, 60);
}

/** Reads a yes-or-no value as it is typed or printed. */
export function flagNamed(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'true' || word === 'yes') return true;
  return word === 'false' || word === 'no' || word === '-' ? false : undefined;
}

/** Reads a number, or a rate in percent. */
export function numberIn(typed: string): number | undefined {
  const match = /^\s*(-?\d+(?:\.\d+)?) ?%?\s*$/.exec(typed);
  return match === null ? undefined : Number(match[1]);
}
