/** From what the service sent to what the context keeps: declared fields only, each of its declared type. */
import { neutralTexts, toNeutral } from '../api/tokens.ts';
import { ResponseError } from '../errors.ts';
import { isObject, objectOf } from '../json.ts';
import { isOwn } from '../text/own.ts';
import { isoDate } from './date.ts';
import type { Field, Fields, RecordType, Wire } from './record.ts';

/** Values that a record takes from elsewhere than the answer. */
export type Echo = Readonly<Record<string, unknown>>;

/** Where the echo keeps the HTTP status; no argument can have this name. */
export const HTTP_STATUS = '#status';

/**
 * Shapes one record. A field that the service leaves out is null.
 * @param echo the arguments, as the user means them
 * @throws ResponseError naming the path of a field that is missing or of another type than declared
 */
export function shape({ path, fields }: Pick<RecordType, 'path' | 'fields'>, wire: Wire, echo: Echo) {
  const shaped: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields))
    setPath(shaped, name, fieldValue(`${path}.${name}`, name, field, wire, echo));
  return shaped;
}

/** A field with a dotted name is a member of a member. */
function setPath(target: Record<string, unknown>, name: string, value: unknown): void {
  const [first = name, ...rest] = name.split('.');
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  const inner = { ...objectOf(target[first]) };
  setPath(inner, rest.join('.'), value);
  target[first] = inner;
}

function shapeRows(path: string, fields: Fields, value: unknown): unknown {
  if (!Array.isArray(value) || !value.every(isObject)) throw mistyped(path, 'a list of objects', 'something else');
  return value.map((row, index) => shape({ path: `${path}[${index}]`, fields }, row, {}));
}

function fieldValue(path: string, name: string, field: Field, wire: Wire, echo: Echo): unknown {
  if (field.constant !== undefined) return field.constant;
  const value = sourceValue(name, field, wire, echo);
  const empty = value === undefined || value === null || (field.required === true && value === '');
  if (!empty) return typed(path, field, value);
  if (field.required !== true) return null;
  throw new ResponseError(`The service answered without ${path}.`, {
    hint: 'An answer without it is not used: try again, and report it if it stays.',
  });
}

function sourceValue(name: string, field: Field, wire: Wire, echo: Echo): unknown {
  if (field.derive !== undefined) return field.derive(wire);
  const sent = field.argument === undefined || field.from !== undefined ? wireMember(wire, name, field) : undefined;
  if (sent !== undefined) return sent;
  return field.httpStatus === true
    ? echo[HTTP_STATUS]
    : field.argument === undefined
      ? undefined
      : echo[field.argument];
}

/** The wire's names of a field, in the order in which they are tried. */
export function wireNames(name: string, field: Field): readonly string[] {
  return field.from === undefined ? [name] : typeof field.from === 'string' ? [field.from] : field.from;
}

function wireMember(wire: Wire, name: string, field: Field): unknown {
  for (const path of wireNames(name, field)) {
    const value = path.split('.').reduce<unknown>(member, wire);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !isOwn(value, name)) return undefined;
  return (value as Wire)[name];
}

function typed(path: string, field: Field, value: unknown): unknown {
  if (field.type === 'Unknown') {
    const { items, tokens } = field;
    if (items !== undefined) return shapeRows(path, items, value);
    return tokens === undefined ? value : neutralTexts(tokens, value);
  }
  if (typeof value === 'object') throw mistyped(path, `a ${field.type}`, Array.isArray(value) ? 'a list' : 'an object');
  if (field.asSent === true) return value;
  const text = String(value);
  switch (field.type) {
    case 'Number':
      if (typeof value === 'number') return value;
      if (text.trim() !== '' && !Number.isNaN(Number(text))) return Number(text);
      throw mistyped(path, `a ${field.type}`, `a ${typeof value}`);
    case 'Boolean':
      if (typeof value === 'boolean') return value;
      if (text === 'true' || text === 'false') return text === 'true';
      throw mistyped(path, `a ${field.type}`, `a ${typeof value}`);
    case 'Date':
      return isoDate(value);
    default:
      if (typeof value === 'boolean') throw mistyped(path, `a ${field.type}`, 'a boolean');
      return field.tokens === undefined ? text : toNeutral(field.tokens, text);
  }
}

function mistyped(path: string, wanted: string, found: string): ResponseError {
  return new ResponseError(`The service sent ${found} at ${path}, where ${wanted} belongs.`, {
    hint: 'The service may have changed; report this with the command that you ran.',
  });
}
