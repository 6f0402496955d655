/** Tells a table from a text of lines by how its beginning looks. What may be a table is taken for one: a refusal is seen, a row that is scanned as a prompt is not. */
import { csvReader } from './csv.ts';

export interface Head {
  /** The beginning of the text. */
  readonly text: string;
  /** There is no more of it. */
  readonly isWhole: boolean;
}

/** A word, or a few, as people name columns. */
const WORD = '[A-Za-z_\\u0080-\\uffff](?:[\\w.\\u0080-\\uffff-]*[\\w\\u0080-\\uffff])?';
const NAME = new RegExp(`^${WORD}(?: [\\w\\u0080-\\uffff-]+){0,3}$`);
const ONE_WORD = new RegExp(`^${WORD}$`);
const QUOTED_CELLS = /^"(?:[^"]|"")*"(?:,"(?:[^"]|"")*")+$/;

/** The cells of the first row; undefined when there is none, or when it does not end here. */
export function firstRow({ text, isWhole }: Head): readonly string[] | undefined {
  return rowsOf({ text, isWhole })[0];
}

/** Does the text look like a table, whose first row is then no item? */
export function looksLikeTable(head: Head): boolean {
  const rows = rowsOf(head);
  const [first = [], ...others] = rows;
  if (first.length < 2) return [';', '\t'].some((separator) => isSeparatedBy(separator, head));
  if (QUOTED_CELLS.test(lineOf(head.text))) return true;
  return isHeader(first, others) || isEven(rows);
}

/** The separator of a table that has no commas, if it is one. */
export function otherSeparator(head: Head): string | undefined {
  return [';', '\t'].find((separator) => isSeparatedBy(separator, head));
}

function isHeader(first: readonly string[], others: readonly (readonly string[])[]): boolean {
  const wide = others.filter(({ length }) => length > 1).length;
  if (first.every((cell) => ONE_WORD.test(cell.trim())) && wide === others.length) {
    return others.length > 0 || isTight(first);
  }
  return others.length > 0 && isTight(first) && first.every((cell) => NAME.test(cell)) && wide * 2 >= others.length;
}

/** Rows of one width, with commas as no sentence has them, and a column of marks or numbers. */
function isEven(rows: readonly (readonly string[])[]): boolean {
  const width = rows[0]?.length ?? 0;
  if (rows.length < 2 || rows.some((row) => row.length !== width || !isTight(row))) return false;
  return Array.from({ length: width }, (_, at) => at).some((at) => rows.every((row) => /^\S+$/.test(row[at] ?? '')));
}

/** No comma is followed by space. */
function isTight(cells: readonly string[]): boolean {
  return cells.every((cell) => !/^\s/.test(cell));
}

function isSeparatedBy(separator: string, { text, isWhole }: Head): boolean {
  const all = text.split(/\r\n|\r|\n/);
  const lines = (isWhole ? all : all.slice(0, -1)).filter((line) => line.trim() !== '');
  const [first = [], ...others] = lines.map((line) => line.split(separator));
  if (first.length < 2 || others.length === 0) return false;
  return first.every((cell) => ONE_WORD.test(cell.trim())) && others.every(({ length }) => length === first.length);
}

/** Whole rows alone: the last one of a beginning may go on behind it. */
function rowsOf({ text, isWhole }: Head): (readonly string[])[] {
  const reader = csvReader({ longest: text.length });
  const rows = reader.push(text);
  const all = isWhole ? rows.concat(reader.end()) : rows;
  return all.map(({ cells }) => cells);
}

function lineOf(text: string): string {
  return (/[^\r\n]+/.exec(text.replace(/^\ufeff/, ''))?.[0] ?? '').trim();
}
