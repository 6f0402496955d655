/**
 * Distinguishes a table from plain lines by its beginning. If unsure, treat it as a table: users notice a rejected
 * file, but not a row that was scanned as a prompt.
 */
import { UsageError } from '../../core/errors.ts';
import { CsvReader, type CsvRow } from './csv.ts';

export interface Item {
  readonly text: string;
  /** First line of the item, counted from 1. */
  readonly line: number;
  /** Why the text cannot be used, as a sentence. */
  readonly problem?: string;
  /** Cells of the columns to keep, by name. */
  readonly columns?: Readonly<Record<string, string>>;
}

export interface ColumnOptions {
  /** The header of the column; case and surrounding space are ignored. */
  readonly name: string;
  /** The noun for an item in messages. */
  readonly noun: string;
  /** Maximum bytes of an item; a longer item is cut and has a problem that says so. */
  readonly maxBytes: number;
  /** Format of the text. Undefined: a table if the text looks like one, otherwise lines. */
  readonly format: Format | undefined;
  /** The character between the columns of a table; by default, taken from the text. */
  readonly delimiter?: Delimiter | undefined;
  /** Names of other columns, whose cells are kept with every item. */
  readonly keep?: readonly string[];
  /** Returns the name of the argument that lists such a column, for errors; keep_columns by default. */
  readonly keptBy?: (name: string) => string;
  /** True if an item may be blank, because the other columns are useful without it. */
  readonly mayBeBlank?: boolean;
}

/** `jsonl`: every line is a JSON object, and one of its members is the item. */
export type Format = 'csv' | 'jsonl' | 'lines';

export type Delimiter = 'comma' | 'semicolon' | 'tab';

export interface Head {
  /** The beginning of the text. */
  readonly text: string;
  /** True if the beginning is the whole text. */
  readonly isComplete: boolean;
}

/** A column name of one word or a few words. */
const WORD = '[A-Za-z_\\u0080-\\uffff](?:[\\w.\\u0080-\\uffff-]*[\\w\\u0080-\\uffff])?';
const NAME = new RegExp(`^${WORD}(?: [\\w\\u0080-\\uffff-]+){0,3}$`);
const ONE_WORD = new RegExp(`^${WORD}$`);
const QUOTED_CELLS = /^"(?:[^"]|"")*"(?:,"(?:[^"]|"")*")+$/;

const DELIMITERS: Readonly<Record<Delimiter, string>> = { comma: ',', semicolon: ';', tab: '\t' };
const NAMES = Object.keys(DELIMITERS) as Delimiter[];
/** The line that tells Excel the delimiter; a saved file may have more text after it. */
const SEP = /^\ufeff?"?sep=(\t|[^\s"][^\s",;]*|)"?[,;\t ]*\r?(?:\n|$)/i;

/** A text as a table. */
export interface Table {
  readonly delimiter: string;
  /** The delimiter's name in messages. */
  readonly separators: string;
  /** The text; a line that only names the delimiter is empty. */
  readonly text: string;
  /** The complete rows of the beginning; the first holds the column names. */
  readonly rows: readonly CsvRow[];
  readonly isLikely: boolean;
}

/**
 * Reads the beginning of a text as a table. The delimiter is the argument, or else the delimiter in a line such as `sep=;`,
 * or else the only delimiter that yields a column of this name, if no other delimiter yields several columns.
 * @throws UsageError if the first row has two readings
 */
export function tableIn(head: Head, name: string, given: Delimiter | undefined): Table {
  const [line = '', sep] = SEP.exec(head.text) ?? [];
  const said = given ?? (sep === undefined ? undefined : delimiterOf(sep));
  const text = line === '' ? head.text : `\n${head.text.slice(line.length)}`;
  const all = (said === undefined ? NAMES : [said]).map((each) => tableBy(each, { ...head, text }));
  // With a wrong delimiter, quoted names are followed by text.
  const found = all.filter(({ rows: [first] }) => first?.quotes === 'right' && columnsNamed(first, name).length > 0);
  if (found.length > 0) refuseReadings(all.filter((each) => found.includes(each) || hasColumns(each)));
  const best = found[0] ?? all.find(({ delimiter, isLikely }) => isLikely && delimiter !== DELIMITERS.comma) ?? all[0];
  const table = best ?? tableBy('comma', head);
  // Pipes are not supported as delimiters, and their lines would become prompts.
  const isCertain = said !== undefined || columnsNamed(rowsOf(head, '|')[0], name).length > 0;
  return isCertain ? { ...table, isLikely: true } : table;
}

/** A quote within a name shows that a delimiter was inside quotes. */
function hasColumns({ rows: [first] }: Table): boolean {
  const { cells = [], quotes } = first ?? {};
  return cells.length > 1 && quotes === 'right' && !cells.some((cell) => cell.includes('"'));
}

/** @throws UsageError if the text can be read in several ways that give different columns */
function refuseReadings(tables: readonly Table[]): void {
  if (tables.length < 2 || tables.every(({ rows: [first] }) => first?.cells.length === 1)) return;
  const readings = tables.map(({ separators, rows: [first] }) => `by ${separators} as ${namesIn(first, ' | ')}`);
  throw new UsageError(`The names of the columns can be read ${readings.join(', and ')}.`, {
    hint: `Say which with delimiter=${NAMES.join(', ')}.`,
    argument: 'delimiter',
  });
}

function delimiterOf(sep: string): Delimiter {
  const found = NAMES.find((name) => DELIMITERS[name] === sep);
  if (found !== undefined) return found;
  throw new UsageError(`The first line is sep=${sep}, and columns are separated by commas, semicolons or tabs.`, {
    hint: 'Name one of them there, or say it with delimiter. A prompt that begins so needs the line prompt before it.',
    argument: 'delimiter',
  });
}

function tableBy(name: Delimiter, head: Head): Table {
  const delimiter = DELIMITERS[name];
  const rows = rowsOf(head, delimiter);
  const isLikely = name === 'comma' ? looksLikeTable(head, rows) : isSeparated(rows);
  return { delimiter, separators: `${name}s`, text: head.text, rows, isLikely };
}

/** Returns the places of the columns with this name; ignores case. */
export function columnsNamed(first: CsvRow | undefined, name: string): readonly number[] {
  const plain = (cell: string) => cell.trim().toLowerCase();
  return (first?.cells ?? []).flatMap((cell, at) => (plain(cell) === plain(name) ? [at] : []));
}

/** Returns true if the text looks like a table with commas. */
function looksLikeTable({ text }: Head, all: readonly CsvRow[]): boolean {
  const rows = all.map(({ cells }) => cells);
  const [first = [], ...others] = rows;
  if (first.length < 2) return false;
  if (QUOTED_CELLS.test(lineOf(text))) return true;
  return isHeader(first, others) || isUniform(rows);
}

function isHeader(first: readonly string[], others: readonly (readonly string[])[]): boolean {
  const multiCell = others.filter(({ length }) => length > 1).length;
  if (first.every((cell) => ONE_WORD.test(cell.trim())) && multiCell === others.length) {
    return others.length > 0 || hasTightCommas(first);
  }
  return (
    others.length > 0 &&
    hasTightCommas(first) &&
    first.every((cell) => NAME.test(cell)) &&
    multiCell * 2 >= others.length
  );
}

/**
 * Detects rows of equal width with a column of single words and, unlike sentences, no spaces after commas.
 */
function isUniform(rows: readonly (readonly string[])[]): boolean {
  const width = rows[0]?.length ?? 0;
  if (rows.length < 2 || rows.some((row) => row.length !== width || !hasTightCommas(row))) return false;
  return Array.from({ length: width }, (_, at) => at).some((at) => rows.every((row) => /^\S+$/.test(row[at] ?? '')));
}

/** Returns true if no comma is followed by a space. */
function hasTightCommas(cells: readonly string[]): boolean {
  return cells.every((cell) => !/^\s/.test(cell));
}

function isSeparated(rows: readonly CsvRow[]): boolean {
  const [first = [], ...others] = rows.map(({ cells }) => cells);
  if (first.length < 2 || others.length === 0) return false;
  return first.every((cell) => ONE_WORD.test(cell.trim())) && others.every(({ length }) => length === first.length);
}

/** Parses complete rows: the last row of a beginning may continue after it. */
function rowsOf({ text, isComplete }: Head, delimiter: string): readonly CsvRow[] {
  const reader = new CsvReader({ maxCellLength: text.length, delimiter });
  const rows = reader.push(text);
  return isComplete ? rows.concat(reader.end()) : rows;
}

function lineOf(text: string): string {
  return (/[^\r\n]+/.exec(text.replace(/^\ufeff/, ''))?.[0] ?? '').trim();
}

/** Maximum number of column names that a message lists. */
const MAX_NAMES = 20;

/** Lists column names for a message. */
export function namesIn(first: CsvRow | undefined, between: string): string {
  const { cells } = first ?? { cells: [] };
  const names = cells.slice(0, MAX_NAMES).map((cell) => columnLabel(cell.trim()));
  const more = cells.length > MAX_NAMES ? `, and ${cells.length - MAX_NAMES} more` : '';
  return `${names.join(between)}${more}`;
}

/** Shortens a column name for a message. */
export function columnLabel(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}...` : name;
}
