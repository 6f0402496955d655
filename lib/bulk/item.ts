/** An item of bulk work, and how a text is read as items. */

export interface Item {
  readonly text: string;
  /** First line of the item, counted from 1. */
  readonly line: number;
  /** Why the text cannot be used, as a sentence. */
  readonly problem?: string;
  /** Cells of the columns to keep, by their names. */
  readonly columns?: Readonly<Record<string, string>>;
}

export interface ColumnOptions {
  /** The header of the column; case and surrounding space are ignored. */
  readonly name: string;
  /** The noun for an item in messages. */
  readonly noun: string;
  /** Maximum bytes of an item; longer ones are cut and have a problem that says so. */
  readonly maxBytes: number;
  /** Form of the text. Undefined: a table if it looks like one, or lines. */
  readonly format: Format | undefined;
  /** What separates the columns of a table; by default, what the text says. */
  readonly delimiter?: Delimiter | undefined;
  /** Names of other columns, whose cells every item has. */
  readonly keep?: readonly string[];
  /** Returns the argument that names such a column, for errors; keep_columns by default. */
  readonly keptBy?: (name: string) => string;
  /** An item may be blank, because its columns are used without it. */
  readonly mayBeBlank?: boolean;
}

/** `jsonl`: every line is a JSON object, whose member is the item. */
export type Format = 'csv' | 'jsonl' | 'lines';

export type Delimiter = 'comma' | 'semicolon' | 'tab';
