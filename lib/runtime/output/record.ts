/**
 * Builders for outputs: a record is a context path with its fields, in table order. The manifest, the table and the
 * shape of the context value follow from it.
 */
import type { TokenFamily } from '../../core/wire.ts';
import type { Verdict } from './verdict.ts';

export type FieldType = 'String' | 'Number' | 'Boolean' | 'Date' | 'Unknown';

/** An object of the service's response, before it is shaped. */
export type Wire = Readonly<Record<string, unknown>>;

export interface FieldOptions {
  /** The name or dotted path in the response; several names are tried in order. Default: the field's own name. */
  from?: string | readonly string[];
  /** Takes the value of this argument unless `from` finds a value, because the response may lack it. */
  argument?: string;
  /** Computes the value from the whole response. */
  derive?: (wire: Wire) => unknown;
  /** A fixed value, for a response that only confirms success. */
  constant?: string | boolean;
  /** The family of neutral tokens (`lib/core/wire.ts`). */
  tokens?: TokenFamily;
  /** Keeps a number despite the type String: the service sends milliseconds here and text elsewhere. */
  asSent?: boolean;
  /** The only values, because this program computes them. */
  choices?: readonly string[];
  /** A response without this field is an error. */
  required?: boolean;
  /** An extension that the spec lacks, documented as such: absent instead of null if the response does not have it. */
  extension?: boolean;
  /** Holds a date: the manifest says so, and the value stays as the service sends it. */
  isDate?: boolean;
  /** Only the context holds the value: tables, raw responses and logs mask it. */
  secret?: boolean;
  /** A secret that the service returns only once; a note says where to find it. */
  once?: boolean;
  /** Heading of the column. Default: derived from the name. */
  heading?: string;
  /** Converts the value for the table. */
  show?: (value: unknown) => unknown;
  /** Omitted from the table. */
  hidden?: boolean;
  /** Takes the value from the HTTP status of the response. */
  httpStatus?: boolean;
  /** Shows an array of objects as its own table, with these columns. */
  rows?: readonly string[];
  /** The declared members of each row; without them, rows are kept as sent. */
  items?: Fields;
  /** Documents members that are kept as sent, of an object or of each row; the native bundle omits them. */
  members?: Fields;
  /** The value is a list, and `members` describes its rows. */
  isList?: boolean;
}

export interface Field<Value = unknown> extends FieldOptions {
  readonly type: FieldType;
  readonly description: string;
  readonly value?: Value;
}

export type Fields = Readonly<Record<string, Field>>;

/** Presentation of a record in a terminal; no machine-readable format depends on it. */
export interface View<Name extends string = string, Further extends Fields = Fields> {
  /** The three to six most useful columns of a list; `--wide` shows all columns. */
  readonly firstColumns?: readonly Name[];
  /** Columns of a list that the record does not have, because the context holds only the interface's fields. */
  readonly further?: Further;
  /** Fields that hold rates in percent, which a list draws as bars. */
  readonly bars?: readonly Name[];
  /** Fields on the first line of a single record: the verdict and its context. */
  readonly headline?: readonly Name[];
  /** Returns the row that markdown shows before the record. */
  readonly summary?: (wire: Wire) => Readonly<Record<string, unknown>>;
  /** Reads the verdict of a scan from its response. */
  readonly verdict?: (wire: Wire) => Verdict;
}

/** A context path and its fields. */
export interface RecordType<F extends Fields = Fields> {
  /** Such as `AiSec.Topic`. */
  readonly path: string;
  /** Heading of the table. */
  readonly title: string;
  /** Fields that identify a record; if empty, each result replaces the previous result. */
  readonly key: readonly string[];
  readonly fields: F;
  readonly view: View;
}

function field<Value>(type: FieldType, description: string, options: FieldOptions = {}): Field<Value> {
  return { type, description, ...options };
}

export const string = (description: string, options?: FieldOptions) => field<string>('String', description, options);
export const number = (description: string, options?: FieldOptions) => field<number>('Number', description, options);
export const boolean = (description: string, options?: FieldOptions) => field<boolean>('Boolean', description, options);
/** Declares a timestamp that is normalized to `YYYY-MM-DDTHH:MM:SSZ` if it parses. */
export const date = (description: string, options?: FieldOptions) => field<string>('Date', description, options);
/** Declares a timestamp that is kept in the format that the service sends. The manifest types it as a date. */
export const timestamp = (description: string, options?: FieldOptions) =>
  field<string>('String', description, { ...options, isDate: true });
/** Declares an object or array that is kept as sent. */
export const unknown = (description: string, options?: FieldOptions) => field<unknown>('Unknown', description, options);

/** Valid context paths: below `AiSec`, or the platform's path of files. */
type ContextPath = `AiSec.${string}` | 'InfoFile';

/** Declares a record. */
export function record<const F extends Fields, const Further extends string = never>(
  path: ContextPath,
  title: string,
  key: Extract<keyof F, string> | readonly Extract<keyof F, string>[],
  fields: F,
  view: View<Extract<keyof F, string> | NoInfer<Further>, Readonly<Record<Further, Field>>> = {},
): RecordType<F> {
  return { path, title, key: typeof key === 'string' ? [key] : key, fields, view };
}

/** The field name of a record that is not an object: the field's value is stored directly under the path. */
export const WHOLE = '';

/** Declares a context path with a single value, such as a list of names. It replaces the previous value. */
export function whole<const F extends Field>(path: ContextPath, title: string, field: F): RecordType<{ '': F }> {
  return { path, title, key: [], fields: { [WHOLE]: field }, view: {} };
}

/** Output of a command: one record, or several. */
export interface Output<R extends RecordType = RecordType> {
  readonly record: R;
  readonly many: boolean;
  /** The member of the record that holds the list; counts and position are next to it. */
  readonly paged?: string;
  /** Writes nothing to the context. */
  readonly silent?: boolean;
  /** Selects the records to keep first if the context has no room for all. */
  readonly priority?: (record: Wire) => boolean;
}

export const one = <R extends RecordType>(type: R): Output<R> => ({ record: type, many: false });
/** Declares a list inside one record, such as the violations of a scan. The wire value is `{[member]: records, total_items}`. */
export const paged = <R extends RecordType>(type: R, member: Extract<keyof R['fields'], string>): Output<R> => ({
  record: type,
  many: false,
  paged: member,
});
/** Declares a table without context output. */
export const silent = <R extends RecordType>(type: R): Output<R> => ({ record: type, many: false, silent: true });
export const many = <R extends RecordType>(type: R): Output<R> => ({ record: type, many: true });

interface Outputs {
  readonly output: Output;
  readonly job?: { readonly output: Output } | undefined;
}

/** Reports whether a command returns a secret that the service shows only once. */
export function issuesSecret({ output, job }: Outputs): boolean {
  return [output, ...(job === undefined ? [] : [job.output])].some(({ record }) => hasOneTimeSecret(record.fields));
}

function hasOneTimeSecret(fields: Fields): boolean {
  return Object.values(fields).some(
    ({ once, items, members }) => once === true || hasOneTimeSecret(items ?? members ?? {}),
  );
}
