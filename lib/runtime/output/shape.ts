/** Shapes responses into records: only declared fields, each of its declared type. */

import { ResponseError, SERVICE_CHANGED } from '../../core/errors.ts';
import { isObject, MAX_EXACT, objectOf } from '../../core/json.ts';
import { isoDate } from '../../core/text/date.ts';
import { isOwn } from '../../core/text/own.ts';
import { neutralTexts, toNeutral } from '../../core/wire.ts';
import type { Field, Fields, RecordType, Wire } from './record.ts';

/** Values of a record that are not in the response. */
export type Echo = Readonly<Record<string, unknown>>;

/** The key of the HTTP status in `echo`; no argument can have this name. */
export const HTTP_STATUS = '#status';

/**
 * Shapes one record. A field that the response omits becomes null; an extension stays absent.
 * @param echo the arguments' values
 * @throws ResponseError with the path of a missing required field, or of a field with the wrong type
 */
export function shape({ path, fields }: Pick<RecordType, 'path' | 'fields'>, wire: Wire, echo: Echo) {
  const shaped: Record<string, unknown> = {};
  for (const plan of plansOf(fields)) {
    const value = fieldValue(path, plan, wire, echo);
    if (value === null && plan.field.extension === true) continue;
    if (plan.inside) setPath(shaped, plan.name, value);
    else shaped[plan.name] = value;
  }
  return shaped;
}

/** Instructions for one field, computed once because a list has thousands of records. */
interface Plan {
  readonly name: string;
  readonly field: Field;
  /** True if the name is dotted: a member of a member. */
  readonly inside: boolean;
  /** Names in the response, each as a list of members. */
  readonly sources: readonly (readonly string[])[];
  /** Keep a string as sent. */
  readonly asText: boolean;
  /** Take the value only from the response. */
  readonly sent: boolean;
}

const planned = new Map<Fields, readonly Plan[]>();

function plansOf(fields: Fields): readonly Plan[] {
  const known = planned.get(fields);
  if (known !== undefined) return known;
  const plans = Object.entries(fields).map(([name, field]) => planOf(name, field));
  planned.set(fields, plans);
  return plans;
}

function planOf(name: string, field: Field): Plan {
  const { constant, derive, argument, httpStatus, type, tokens } = field;
  return {
    name,
    field,
    inside: name.indexOf('.') >= 0,
    sources: wireNames(name, field).map((path) => path.split('.')),
    asText: type === 'String' && tokens === undefined,
    sent: constant === undefined && derive === undefined && argument === undefined && httpStatus !== true,
  };
}

/** Sets a member; a dotted name is a nested member. */
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

function fieldValue(path: string, plan: Plan, wire: Wire, echo: Echo): unknown {
  const { name, field } = plan;
  if (field.constant !== undefined) return field.constant;
  const value = plan.sent ? wireMember(wire, plan) : sourceValue(plan, wire, echo);
  if (value === undefined || value === null || (value === '' && field.required === true)) {
    if (field.required !== true) return null;
    throw new ResponseError(`The service answered without ${path}.${name}.`, {
      hint: 'Try again; if it persists, report it.',
    });
  }
  return plan.asText && typeof value === 'string' ? value : typed(`${path}.${name}`, field, value);
}

function sourceValue(plan: Plan, wire: Wire, echo: Echo): unknown {
  const { field } = plan;
  if (field.derive !== undefined) return field.derive(wire);
  const sent = field.argument === undefined || field.from !== undefined ? wireMember(wire, plan) : undefined;
  if (sent !== undefined) return sent;
  return field.httpStatus === true
    ? echo[HTTP_STATUS]
    : field.argument === undefined
      ? undefined
      : echo[field.argument];
}

/** Lists the names of a field in the response, in the order of lookup. */
export function wireNames(name: string, field: Field): readonly string[] {
  return field.from === undefined ? [name] : typeof field.from === 'string' ? [field.from] : field.from;
}

function wireMember(wire: Wire, { sources }: Plan): unknown {
  for (const steps of sources) {
    let value: unknown = wire;
    for (const step of steps) value = member(value, step);
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
      // An integer too large for a number keeps its digits as a text.
      if (/^-?[0-9]{16,}$/.test(text) && Math.abs(Number(text)) > MAX_EXACT) return text;
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
  return new ResponseError(`The service sent ${found} at ${path}; expected ${wanted}.`, {
    hint: SERVICE_CHANGED,
  });
}
