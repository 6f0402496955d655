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
  for (const plan of plansOf(fields)) {
    const value = fieldValue(path, plan, wire, echo);
    if (plan.inside) setPath(shaped, plan.name, value);
    else shaped[plan.name] = value;
  }
  return shaped;
}

/** One field of a record, and what is the same for every record: worked out once, because a list has thousands. */
interface Plan {
  readonly name: string;
  readonly field: Field;
  /** It stands in a member of the record. */
  readonly inside: boolean;
  /** The wire's names, each as the steps from member to member. */
  readonly sources: readonly (readonly string[])[];
  /** A text that was sent stays as it is. */
  readonly asText: boolean;
  /** Nothing but what was sent can be its value. */
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

function fieldValue(path: string, plan: Plan, wire: Wire, echo: Echo): unknown {
  const { name, field } = plan;
  if (field.constant !== undefined) return field.constant;
  const value = plan.sent ? wireMember(wire, plan) : sourceValue(plan, wire, echo);
  if (value === undefined || value === null || (value === '' && field.required === true)) {
    if (field.required !== true) return null;
    throw new ResponseError(`The service answered without ${path}.${name}.`, {
      hint: 'An answer without it is not used: try again, and report it if it stays.',
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

/** The wire's names of a field, in the order in which they are tried. */
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
