/**
 * The words for arguments. Each word makes one `Argument`: what a user may type, and the type that the handler receives.
 * The handler's types follow from the options: required or defaulted means present, `clearable` adds `null`.
 */

export type Kind = 'text' | 'number' | 'flag' | 'list' | 'json' | 'file';

/** A JSON Schema (2020-12) for the parsed value; `maxBytes` is an extra keyword: the longest UTF-8 form of a text. */
export type Schema = Readonly<Record<string, unknown>>;

export interface Options {
  required?: boolean;
  /** As a user would type it: this text also stands in the manifest. */
  default?: string;
  /** Closed: anything else is refused. */
  choices?: readonly string[];
  /** Open: completed and hinted, but what was typed is sent. */
  hints?: readonly string[];
  /** The family of neutral tokens that stand for the wire's own words (`lib/api/tokens.ts`). */
  tokens?: TokenFamily;
  /** Never in history, logs or dry run. */
  secret?: boolean;
  /** Not secret, but the words of people: kept out of history and, unless asked for, out of logs. */
  content?: boolean;
  /** Beyond the spec, and marked so wherever it is described; absent, the command does exactly what the spec says. */
  extension?: boolean;
  /** The text `null` is the value null. */
  clearable?: boolean;
  /** May be typed without its name. */
  positional?: boolean;
  /** Further keywords of the value's schema. */
  schema?: Schema;
}

export type TokenFamily = 'cloud' | 'source' | 'vendor' | 'outcome' | 'file-result';

/** One argument of a command. `Given` is what the handler receives; it exists for the compiler alone. */
export interface Argument<Given = unknown> extends Options {
  readonly kind: Kind;
  readonly description: string;
  readonly schema: Schema;
  readonly given?: Given;
}

export type Arguments = Readonly<Record<string, Argument>>;

/** The handler's view of declared arguments. */
export type Given<A extends Arguments> = { readonly [Name in keyof A]: A[Name] extends Argument<infer V> ? V : never };

type Present<Value, O extends Options> =
  | (O extends { required: true } | { default: string } ? Value : Value | undefined)
  | (O extends { clearable: true } ? null : never);

type OneOf<O extends Options> = O extends { choices: readonly (infer Choice extends string)[] } ? Choice : string;

const PARAGRAPH = { type: 'string' } as const;
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

/** Text, taken as it was typed. */
export function text<const O extends Options>(description: string, options?: O): Argument<Present<OneOf<O>, O>> {
  return argument<OneOf<O>, O>('text', description, PARAGRAPH, options);
}

/** An id that the service issues as a UUID. Checked before it can reach a path. */
export function uuid<const O extends Options>(description: string, options?: O): Argument<Present<string, O>> {
  return argument<string, O>('text', description, { ...PARAGRAPH, pattern: UUID, title: 'a UUID' }, options);
}

/** The address of the person who is answerable for a change. */
export function email<const O extends Options>(description: string, options?: O): Argument<Present<string, O>> {
  return argument<string, O>('text', description, { ...PARAGRAPH, pattern: EMAIL, title: 'an email address' }, options);
}

/** A whole number. */
export function number<const O extends Options>(description: string, options?: O): Argument<Present<number, O>> {
  return argument<number, O>('number', description, { type: 'integer' }, options);
}

/** A Boolean: true, false, yes or no, in any case. */
export function flag<const O extends Options>(description: string, options?: O): Argument<Present<boolean, O>> {
  return argument<boolean, O>('flag', description, { type: 'boolean' }, options);
}

/** Several texts: comma-separated, or a JSON array where one of them holds a comma. */
export function list<const O extends Options>(description: string, options?: O): Argument<Present<string[], O>> {
  const items = options?.choices === undefined ? PARAGRAPH : { ...PARAGRAPH, enum: options.choices };
  return argument<string[], O>('list', description, { type: 'array', items }, options);
}

/** Several ids that the service issues as UUIDs; at least one, where it is given at all. */
export function uuids<const O extends Options>(description: string, options?: O): Argument<Present<string[], O>> {
  const schema = { items: { ...PARAGRAPH, pattern: UUID }, minItems: 1, title: 'a UUID', ...options?.schema };
  return argument<string[], O>('list', description, { type: 'array', ...schema }, options);
}

/** JSON text of a given shape. `Value` is the shape that the schema admits. */
export function json<Value = unknown>() {
  return <const O extends Options>(description: string, schema: Schema, options?: O): Argument<Present<Value, O>> =>
    argument<Value, O>('json', description, schema, options);
}

/** A file of the host: a path in a terminal, the id of an entry in a war room. */
export function file<const O extends Options>(description: string, options?: O): Argument<Present<string, O>> {
  return argument<string, O>('file', description, PARAGRAPH, options);
}

/** A required text of a merge patch, where the text `null` clears others: this one cannot be cleared, and is not set to that text either. */
export function kept(description: string, options: { hints?: readonly string[] } = {}) {
  const schema = { pattern: '^(?!null$)', title: 'a text other than null: it cannot be cleared' };
  return text(description, { required: true, schema, ...options });
}

/** Which page of a list, on a plane that counts pages, and how many records it has. */
export const pages = {
  page: number('Page number, counted from 0.', { default: '0', schema: { minimum: 0 } }),
  size: number('Number of records on a page.', { default: '50', schema: { minimum: 1 } }),
};

/** A moment: ISO 8601, or how long ago, such as `7 days`. `momentOf` (`time.ts`) makes of it what travels. */
export function time<const O extends Options>(description: string, options?: O): Argument<Present<string, O>> {
  const schema = { ...PARAGRAPH, pattern: TIME, title: 'an ISO 8601 time, or how long ago, such as 7 days' };
  return argument<string, O>('text', description, schema, options);
}

/** How many records are wanted, however many pages that takes. */
export function limit(standard: number): Argument<number> {
  const schema = { minimum: 1 };
  return number('Maximum number of records to return.', { default: String(standard), schema });
}

/** How many records to pass over first. `extension`: the spec names no position for this list, but its plane has one. */
export function offset(options: { extension?: boolean } = {}): Argument<number> {
  const schema = { minimum: 0 };
  return number('Number of records to skip before the first one.', { default: '0', schema, ...options });
}

/** The same where the spec has it as `skip`, without a default. */
export function skip(options: { extension?: boolean } = {}): Argument<number | undefined> {
  return number('Number of records to skip before the first one.', { schema: { minimum: 0 }, ...options });
}
