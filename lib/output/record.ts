/**
 * The words for what a command leaves behind: a record is a context path with its fields, in the order of the table.
 * The manifest, the table and the shape of the context value follow from it.
 */
import type { TokenFamily } from '../arguments/words.ts';

export type FieldType = 'String' | 'Number' | 'Boolean' | 'Date' | 'Unknown';

/** What the service sent, before it is shaped. */
export type Wire = Readonly<Record<string, unknown>>;

export interface FieldOptions {
  /** The wire's name, or a dotted path into the answer; several are tried in turn. Default: the field's own name. */
  from?: string | readonly string[];
  /** The value is the one of this argument, unless `from` finds one: the service does not send it back. */
  argument?: string;
  /** The value follows from the answer as a whole. */
  derive?: (wire: Wire) => unknown;
  /** The same in every result: the service said yes, and that is all it says. */
  constant?: string | boolean;
  /** The family of neutral tokens (`lib/api/tokens.ts`). */
  tokens?: TokenFamily;
  /** A number stays a number, although the type says String: the service sends milliseconds where others send text. */
  asSent?: boolean;
  /** An answer without it is not an answer. */
  required?: boolean;
  /** In the context only: masked in tables, raw answers and logs. */
  secret?: boolean;
  /** A secret that the service gives out this one time; the table says where it is. */
  once?: boolean;
  /** The column's heading. Default: the name in words. */
  heading?: string;
  /** How the table tells it, where the value itself would be hard to read. */
  show?: (value: unknown) => unknown;
  /** Left out of the table. */
  hidden?: boolean;
  /** The HTTP status of the answer, where the answer itself has none. */
  httpStatus?: boolean;
  /** An array of objects: its rows are shown as a table of their own, with these columns. */
  rows?: readonly string[];
  /** The declared members of each row; without them rows are kept as they were sent. */
  items?: Fields;
  /** Documents the members of an object, or of each row, that are kept as they were sent; the native bundle leaves them out. */
  members?: Fields;
}

export interface Field<Value = unknown> extends FieldOptions {
  readonly type: FieldType;
  readonly description: string;
  readonly value?: Value;
}

export type Fields = Readonly<Record<string, Field>>;

/** A context path and its fields. */
export interface RecordType<F extends Fields = Fields> {
  /** Such as `AiSec.Topic`. */
  readonly path: string;
  /** Heading of the table. */
  readonly title: string;
  /** Fields that tell two records apart; none: a result replaces the last one. */
  readonly key: readonly string[];
  readonly fields: F;
}

function field<Value>(type: FieldType, description: string, options: FieldOptions = {}): Field<Value> {
  return { type, description, ...options };
}

export const string = (description: string, options?: FieldOptions) => field<string>('String', description, options);
export const number = (description: string, options?: FieldOptions) => field<number>('Number', description, options);
export const boolean = (description: string, options?: FieldOptions) => field<boolean>('Boolean', description, options);
/** A timestamp that is normalised to `YYYY-MM-DDTHH:MM:SSZ` when it parses. */
export const date = (description: string, options?: FieldOptions) => field<string>('Date', description, options);
/** An object or array, kept as it was sent. */
export const unknown = (description: string, options?: FieldOptions) => field<unknown>('Unknown', description, options);

/** Where a record may stand: below our own root, or where the platform keeps files. */
type ContextPath = `AiSec.${string}` | 'InfoFile';

/** Declares a record. */
export function record<const F extends Fields>(
  path: ContextPath,
  title: string,
  key: Extract<keyof F, string> | readonly Extract<keyof F, string>[],
  fields: F,
): RecordType<F> {
  return { path, title, key: typeof key === 'string' ? [key] : key, fields };
}

/** The name of the only field of a record that is no object: its value is the path's value. */
export const WHOLE = '';

/** A context path whose value is one thing, such as a dictionary or a list of names. It replaces the last one. */
export function whole<const F extends Field>(path: ContextPath, title: string, field: F): RecordType<{ '': F }> {
  return { path, title, key: [], fields: { [WHOLE]: field } };
}

/** What a command returns: one record, or several. */
export interface Output<R extends RecordType = RecordType> {
  readonly record: R;
  readonly many: boolean;
  /** The member of the one record that holds a list's records; counts and position stand beside it. */
  readonly paged?: string;
  /** It leaves nothing in the context. */
  readonly silent?: boolean;
  /** Which records tell most: they are kept first where a context has no room for all. */
  readonly priority?: (record: Wire) => boolean;
}

export const one = <R extends RecordType>(type: R): Output<R> => ({ record: type, many: false });
/** A list inside one record, such as the violations of a scan. The wire is `{[member]: records, total_items}`. */
export const paged = <R extends RecordType>(type: R, member: Extract<keyof R['fields'], string>): Output<R> => ({
  record: type,
  many: false,
  paged: member,
});
/** A table, and nothing in the context. */
export const silent = <R extends RecordType>(type: R): Output<R> => ({ record: type, many: false, silent: true });
export const many = <R extends RecordType>(type: R): Output<R> => ({ record: type, many: true });
