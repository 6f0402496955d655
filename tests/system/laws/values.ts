/** Hostile values for one argument: invalid values, and values of a valid form with hostile content. */
import fc from 'fast-check';
import type { Argument, Schema } from '../../../lib/runtime/arguments/builders.ts';
import { LINE_FILES } from '../../support/lines.ts';
import { hostileText } from './hostile.ts';

const UUIDS = ['00000000-0000-4000-8000-000000000001', 'FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF'];
const TIMES = ['now', '7 days', '99999 weeks ago', '2026-02-30', '2026-11-20T08:00:00.123456789+14:00', '0001-01-01'];
const EMAIL_SIGNS = /[@ ]/g;

/** The file of a room with the content that the test sets. */
export const EVIL_FILE = 'evil.txt';

/** Generates values of an argument, half of them well-formed. */
export function valuesFor(argument: Argument): fc.Arbitrary<string> {
  return fc.oneof({ weight: 3, arbitrary: hostileText }, { weight: 3, arbitrary: wellFormed(argument) });
}

/** Generates values of the argument's form, as far as its declaration describes it. */
export function wellFormed({ kind, schema, choices, hints = [] }: Argument): fc.Arbitrary<string> {
  const words = [...(choices ?? []), ...hints];
  const known = words.length === 0 ? [] : [fc.constantFrom(...words)];
  switch (kind) {
    case 'flag':
      return fc.constantFrom('true', 'false', 'YES');
    case 'number':
      return known[0] ?? fc.constantFrom('0', '1', '2', '50', '100', '999999999999999');
    case 'file':
      return fc.constantFrom(EVIL_FILE, ...Object.keys(LINE_FILES));
    case 'list':
      return fc.array(fc.oneof(textFor(schemaOf(schema['items'])), ...known), { maxLength: 4 }).chain(listText);
    case 'json':
      return valueFor(schema, 3).map((value) => JSON.stringify(value));
    default:
      return fc.oneof(...(choices === undefined ? [textFor(schema)] : []), ...known);
  }
}

function listText(items: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(items.join(','), JSON.stringify(items));
}

/** A text in the format that its schema requires. */
function textFor(schema: Schema): fc.Arbitrary<string> {
  const { pattern, title = '' } = schema;
  const words = schema['enum'];
  if (Array.isArray(words)) return fc.constantFrom(...words.map(String));
  if (typeof pattern !== 'string' || new RegExp(pattern).test('\u202e|')) return hostileText;
  const wanted = String(title);
  if (wanted.includes('email')) return hostileText.map((text) => `x${text.replace(EMAIL_SIGNS, '')}@evil`);
  if (wanted.includes('ISO')) return fc.constantFrom(...TIMES);
  const samples = [...UUIDS, '12', 'YWJj', 'a-b_c'].filter((sample) => new RegExp(pattern).test(sample));
  return fc.constantFrom(...samples);
}

function schemaOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A value in the format that its schema requires, hostile wherever the schema allows it. */
function valueFor(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const [type] = [schema['type']].flat();
  switch (type) {
    case 'object':
      return objectOf(schema, depth);
    case 'array': {
      const minLength = Number(schema['minItems'] ?? 0);
      return fc.array(valueFor(schemaOf(schema['items']), depth - 1), { minLength, maxLength: minLength + 2 });
    }
    case 'integer':
      return fc.constant(Number(schema['minimum'] ?? 1));
    case 'boolean':
      return fc.boolean();
    case 'string':
      return textFor(schema);
    default:
      if (schema['enum'] !== undefined) return textFor(schema);
      return depth <= 0 ? hostileText : fc.oneof(hostileText, fc.dictionary(keys, hostileText, { maxKeys: 2 }));
  }
}

const keys = hostileText.filter((text) => !['__proto__', 'constructor', 'prototype'].includes(text));

function objectOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const declared = schemaOf(schema['properties']);
  const names = Object.keys(declared);
  const required = [schema['required'] ?? []].flat().map(String);
  const members = names.map((name) => [name, valueFor(schemaOf(declared[name]), depth - 1)] as const);
  const known = fc.record(Object.fromEntries(members), {
    requiredKeys: required.filter((name) => names.includes(name)),
  });
  const further = schema['additionalProperties'];
  if (further === false) return known;
  const others = fc.dictionary(keys, valueFor(schemaOf(further), depth - 1), {
    minKeys: names.length === 0 ? 1 : 0,
    maxKeys: 2,
  });
  return fc.tuple(known, others).map(([own, more]) => ({ ...more, ...own }));
}
