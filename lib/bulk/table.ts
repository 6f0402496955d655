/**
 * Distinguishes a table from plain lines by its beginning. In doubt it is a table: a rejected file is noticed, a row
 * scanned as a prompt is not.
 */
import { CsvReader } from './csv.ts';

export interface Head {
  /** The beginning of the text. */
  readonly text: string;
  /** The beginning is the whole text. */
  readonly isComplete: boolean;
}

/** A column name of one word or a few. */
const WORD = '[A-Za-z_\\u0080-\\uffff](?:[\\w.\\u0080-\\uffff-]*[\\w\\u0080-\\uffff])?';
const NAME = new RegExp(`^${WORD}(?: [\\w\\u0080-\\uffff-]+){0,3}$`);
const ONE_WORD = new RegExp(`^${WORD}$`);
const QUOTED_CELLS = /^"(?:[^"]|"")*"(?:,"(?:[^"]|"")*")+$/;

/** Returns the cells of the first row; undefined in an empty text, or if the row does not end here. */
export function firstRow({ text, isComplete }: Head): readonly string[] | undefined {
  return rowsOf({ text, isComplete })[0];
}

/** Returns true if the text looks like a table. */
export function looksLikeTable(head: Head): boolean {
  const rows = rowsOf(head);
  const [first = [], ...others] = rows;
  if (first.length < 2) return [';', '\t'].some((separator) => isSeparatedBy(separator, head));
  if (QUOTED_CELLS.test(lineOf(head.text))) return true;
  return isHeader(first, others) || isUniform(rows);
}

/** Returns the separator of a table without commas, if the text is one. */
export function otherSeparator(head: Head): string | undefined {
  return [';', '\t'].find((separator) => isSeparatedBy(separator, head));
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
 * Detects rows of equal width with a column of single words, and without the spaces that follow commas in sentences.
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

function isSeparatedBy(separator: string, { text, isComplete }: Head): boolean {
  const all = text.split(/\r\n|\r|\n/);
  const lines = (isComplete ? all : all.slice(0, -1)).filter((line) => line.trim() !== '');
  const [first = [], ...others] = lines.map((line) => line.split(separator));
  if (first.length < 2 || others.length === 0) return false;
  return first.every((cell) => ONE_WORD.test(cell.trim())) && others.every(({ length }) => length === first.length);
}

/** Parses complete rows: the last row of a beginning may continue after it. */
function rowsOf({ text, isComplete }: Head): (readonly string[])[] {
  const reader = new CsvReader({ maxCellLength: text.length });
  const rows = reader.push(text);
  const all = isComplete ? rows.concat(reader.end()) : rows;
  return all.map(({ cells }) => cells);
}

function lineOf(text: string): string {
  return (/[^\r\n]+/.exec(text.replace(/^\ufeff/, ''))?.[0] ?? '').trim();
}

/** Cuts the name of a column for a message. */
export function shortened(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}...` : name;
}
