/**
 * Builders for arguments. Each returns one `Argument`: what a user may type, and the type that the handler receives.
 * The handler's types follow from the options: a required or defaulted argument is present, `clearable` adds `null`.
 */

import { ValidationError } from '../../core/errors.ts';
import { isoDate } from '../../core/text/date.ts';
import type { TokenFamily } from '../../core/wire.ts';

export type Kind = 'text' | 'number' | 'flag' | 'list' | 'json' | 'file';

/** A JSON Schema (2020-12) for the parsed value, with the extra keyword `maxBytes`: the maximum length in UTF-8. */
export type Schema = Readonly<Record<string, unknown>>;

export interface Options {
  required?: boolean;
  /**
   * Another argument, or a list of arguments. If any of them is given, this argument is not required, and not
   * offered for completion. The manifest cannot express this, and marks the argument as required.
   */
  unless?: string | readonly string[];
  /** The default as a user would type it; the manifest shows this text. */
  default?: string;
  /** The only values allowed. */
  choices?: readonly string[];
  /** Suggested values; any other is sent as typed. */
  hints?: readonly string[];
  /** The family of neutral tokens that replace wire values (`lib/core/wire.ts`). */
  tokens?: TokenFamily;
  /** Masked in history, logs and dry runs. */
  secret?: boolean;
  /** Holds a prompt or a response: omitted from history, and logged only on request. */
  content?: boolean;
  /** An extension that the spec lacks, documented as such; without it the command follows the spec exactly. */
  extension?: boolean;
  /** The typed text `null` means the value null. */
  clearable?: boolean;
  /** May be typed without its name. */
  positional?: boolean;
  /** Has no effect in the platform's engine, which is synchronous and keeps no files; the manifest hides it. */
  withoutEffectOnPlatform?: boolean;
  /** Source of the values: a terminal completes them, and accepts names instead of ids. */
  lookup?: Lookup;
  /** Further keywords of the value's schema. */
  schema?: Schema;
}

/** A list command that supplies the candidates for an argument. */
export interface Lookup {
  readonly command: string;
  /** Name of the candidates, in the form of an argument's name. */
  readonly noun: string;
  /** Fields that hold the id: first in the response, then in the context. */
  readonly id: readonly string[];
  readonly name: readonly string[];
  /** Member that holds the records, in the response and in the context. Absent: the response itself is the list. */
  readonly member?: string;
  /** Arguments that the list command takes from this command, such as the scan whose attacks it lists. */
  readonly within?: readonly string[];
  /** Field to insert; if absent, the id. */
  readonly takes?: 'name';
}

/**
 * One argument of a command. `Value` is the type that the handler receives; the member exists only for the compiler.
 */
export interface Argument<Value = unknown> extends Options {
  readonly kind: Kind;
  readonly description: string;
  readonly schema: Schema;
  readonly value?: Value;
}

export type Arguments = Readonly<Record<string, Argument>>;

/** The values of declared arguments, as the handler receives them. */
export type ArgumentValues<A extends Arguments> = {
  readonly [Name in keyof A]: A[Name] extends Argument<infer V> ? V : never;
};

type Present<Value, O extends Options> =
  | (O extends { unless: string | readonly string[] }
      ? Value | undefined
      : O extends { required: true } | { default: string }
        ? Value
        : Value | undefined)
  | (O extends { clearable: true } ? null : never);

type OneOf<O extends Options> = O extends { choices: readonly (infer Choice extends string)[] } ? Choice : string;

const STRING = { type: 'string' } as const;
const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
const EMAIL = '^[^@ ]+@[^@ ]+$';
const TIME =
  '^(now|\\d{1,5} ?(minute|hour|day|week)s?( ago)?|\\d{4}-\\d{2}-\\d{2}([T ]\\d{2}:\\d{2}(:\\d{2}([.]\\d{1,9})?)?(Z|[+-]\\d{2}:?\\d{2})?)?)$';

function argument<Value, O extends Options>(kind: Kind, description: string, base: Schema, options: O | undefined) {
  const choices = kind === 'list' ? undefined : options?.choices;
  const closed = choices === undefined ? {} : { enum: kind === 'number' ? choices.map(Number) : choices };
  const schema = { ...base, ...closed, ...options?.schema };
  return { kind, description, ...options, schema } as Argument<Present<Value, O>>;
}

/** Declares a string, which is passed on as typed. */
export function text<const O extends Options>(description: string, options?: O): Argument<Present<OneOf<O>, O>> {
  return argument<OneOf<O>, O>('text', description, STRING, options);
}

/** Declares a UUID, which is checked before it becomes part of a path. */
export function uuid<const O extends Options>(description: string, options?: O): Argument<Present<string, O>> {
  return argument<string, O>('text', description, { ...STRING, pattern: UUID, title: 'a UUID' }, options);
}

/** Declares the email address of the person responsible for a change. */
export function email<const O extends Options>(description: string, options?: O): Argument<Present<string, O>> {
  return argument<string, O>('text', description, { ...STRING, pattern: EMAIL, title: 'an email address' }, options);
}

/** Declares a whole number. */
export function number<const O extends Options>(description: string, options?: O): Argument<Present<number, O>> {
  return argument<number, O>('number', description, { type: 'integer' }, options);
}

/** Declares a Boolean: true, false, yes or no; ignores case. */
export function flag<const O extends Options>(description: string, options?: O): Argument<Present<boolean, O>> {
  return argument<boolean, O>('flag', description, { type: 'boolean' }, options);
}

/** Declares a list of strings: comma-separated, or a JSON array for strings with commas. */
export function list<const O extends Options>(description: string, options?: O): Argument<Present<string[], O>> {
  const items = options?.choices === undefined ? STRING : { ...STRING, enum: options.choices };
  return argument<string[], O>('list', description, { type: 'array', items }, options);
}

/** Declares a list of at least one UUID. */
export function uuids<const O extends Options>(description: string, options?: O): Argument<Present<string[], O>> {
  const schema = { items: { ...STRING, pattern: UUID }, minItems: 1, title: 'a UUID', ...options?.schema };
  return argument<string[], O>('list', description, { type: 'array', ...schema }, options);
}

/** Declares a JSON value. `Value` is the type that the schema describes. */
export function json<Value = unknown>() {
  return <const O extends Options>(description: string, schema: Schema, options?: O): Argument<Present<Value, O>> =>
    argument<Value, O>('json', description, schema, options);
}

/** Declares a file of the host: a path in a terminal, an entry id in a war room. */
export function file<const O extends Options>(description: string, options?: O): Argument<Present<string, O>> {
  return argument<string, O>('file', description, STRING, options);
}

/** Declares a required string of a merge patch. It cannot be cleared: the typed text `null` is rejected. */
export function notClearable(description: string, options: { hints?: readonly string[] } = {}) {
  const schema = { pattern: '^(?!null$)', title: 'a text other than null: it cannot be cleared' };
  return text(description, { required: true, schema, ...options });
}

/** Page number and size, on a plane that counts pages. */
export const pages = {
  page: number('Page number, counted from 0.', { default: '0', schema: { minimum: 0 } }),
  size: number('Number of records on a page.', { default: '50', schema: { minimum: 1 } }),
};

/** Declares a time: ISO 8601, or relative, such as `7 days`. `momentOf` (`time.ts`) converts it for the wire. */
export function time<const O extends Options>(description: string, options?: O): Argument<Present<string, O>> {
  const schema = { ...STRING, pattern: TIME, title: 'an ISO 8601 time, or how long ago, such as 7 days' };
  return argument<string, O>('text', description, schema, options);
}

/** Reports whether an argument was declared with `time`. */
export function isTime({ schema }: Pick<Argument, 'schema'>): boolean {
  return schema['pattern'] === TIME;
}

/** Declares the maximum number of records across all pages. */
export function limit(standard: number): Argument<number> {
  const schema = { minimum: 1 };
  return number('Maximum number of records to return.', { default: String(standard), schema });
}

/** Declares the number of records to skip. `extension`: the plane supports it, but the spec does not list it. */
export function offset(options: { extension?: boolean } = {}): Argument<number> {
  return position({ default: '0', ...options });
}

/** Declares the number of records to skip, if the spec calls it `skip` and gives no default. */
export function skip(options: { extension?: boolean } = {}): Argument<number | undefined> {
  return position(options);
}

function position<const O extends Options>(options: O): Argument<Present<number, O>> {
  return number('Number of records to skip before the first one.', { schema: { minimum: 0 }, ...options });
}

const UNITS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const AGO = /^(\d+) ?(minute|hour|day|week)s?(?: ago)?$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Converts an argument built with `time` to `YYYY-MM-DDTHH:MM:SSZ`; undefined stays undefined.
 * @param now milliseconds since the epoch, the base of relative times
 * @param bound whether a day without a time means its start or its end
 * @throws ValidationError for a day or a time that does not exist
 */
export function momentOf(
  argument: string,
  text: string | undefined,
  now: number,
  bound: 'from' | 'to' = 'from',
): string | undefined {
  if (text === undefined) return undefined;
  const ago = AGO.exec(text);
  const past = ago === null ? 0 : Number(ago[1]) * (UNITS[ago[2] ?? ''] ?? 0);
  const moment = isoDate(ago !== null || text === 'now' ? now - past : text);
  // Engines reject a date that does not exist, or read it as another day.
  if (typeof moment === 'string' && isoDate(Date.parse(moment)) === moment) {
    return bound === 'to' && DAY.test(text) ? moment.replace('T00:00:00Z', 'T23:59:59.999999Z') : moment;
  }
  throw new ValidationError([{ argument, message: `${argument}: there is no such day or time as "${text}".` }]);
}
