/** Reads one column of a CSV text, or the lines of a plain text, item by item. */
import { UsageError } from '../core/errors.ts';
import type { TextReader } from '../core/ports.ts';
import { utf8Length } from '../text/utf8.ts';
import { CsvReader, type CsvRow } from './csv.ts';
import type { ColumnOptions, Format, Item } from './item.ts';
import { checkRecords, jsonLines, recordItem } from './json-lines.ts';
import { firstRow, type Head, looksLikeTable, otherSeparator, shortened } from './table.ts';

export type { ColumnOptions, Format, Item } from './item.ts';

export interface Column<Found extends Item = Item> {
  /** Returns the items of the next chunk, possibly none; undefined at the end. */
  next(): Promise<readonly Found[] | undefined>;
  /** Returns the number of bytes read. */
  bytes(): number;
  close(): Promise<void>;
}

/** Returns the format that the name of a file implies, or undefined. */
export function formatOf(name: string): Format | undefined {
  if (/\.csv$/i.test(name)) return 'csv';
  return /\.(?:jsonl|ndjson)$/i.test(name) ? 'jsonl' : undefined;
}

/** Number of characters that decide whether the text is a table. */
const HEAD_LENGTH = 65_536;
/** Names of columns that a message lists. */
const MAX_NAMES = 20;

/**
 * Opens a column. Without a format, the text is a table if its first row has the column, or if it looks like one;
 * otherwise every line is an item, commas and quotes included.
 * @throws UsageError for a table or a first record without the column, after closing the reader
 */
export async function openColumn(reader: TextReader, options: ColumnOptions): Promise<Column> {
  try {
    return columnOf(reader, await readHead(reader), options);
  } catch (thrown) {
    await reader.close();
    throw thrown;
  }
}

async function readHead(reader: TextReader): Promise<Head> {
  let text = '';
  while (text.length < HEAD_LENGTH) {
    const piece = await reader.next();
    if (piece === undefined) return { text, isComplete: true };
    text += piece;
  }
  return { text, isComplete: false };
}

function columnOf(reader: TextReader, head: Head, options: ColumnOptions): Column {
  const { maxBytes, noun } = options;
  const { parser, hasHeader, itemOf } = options.format === 'jsonl' ? recordsIn(head, options) : rowsIn(head, options);
  let [isFirst, pending, ended] = [hasHeader, head.text as string | undefined, false];
  let bytes = utf8Length(head.text);

  const itemsOf = (rows: readonly CsvRow[]): Item[] => {
    const body = isFirst && rows.length > 0 ? rows.slice(1) : rows;
    isFirst &&= rows.length === 0;
    return body.map(itemOf).filter((item) => item !== undefined);
  };

  const checked = (item: Item): Item =>
    item.problem === undefined && item.text.length * 3 > maxBytes && utf8Length(item.text) > maxBytes
      ? { ...item, problem: `The ${noun} has more than ${maxBytes} bytes.` }
      : item;

  const read = async (): Promise<string | undefined> => {
    const piece = pending ?? (head.isComplete ? undefined : await reader.next());
    if (pending === undefined) bytes += utf8Length(piece ?? '');
    pending = undefined;
    return piece;
  };

  return {
    next: async () => {
      if (ended) return undefined;
      const piece = await read();
      ended = piece === undefined;
      return itemsOf(piece === undefined ? parser.end() : parser.push(piece)).map(checked);
    },
    bytes: () => bytes,
    close: () => reader.close(),
  };
}

interface Rows {
  readonly parser: CsvReader;
  /** The first row names the columns. */
  readonly hasHeader: boolean;
  readonly itemOf: (row: CsvRow) => Item | undefined;
}

function recordsIn(head: Head, options: ColumnOptions): Rows {
  checkRecords(head, options);
  return { parser: jsonLines(options.maxBytes), hasHeader: false, itemOf: recordItem(options) };
}

function rowsIn(head: Head, options: ColumnOptions): Rows {
  const { maxBytes, format, name } = options;
  const first = format === 'lines' ? undefined : firstRow(head);
  const index = indexOf(first, name);
  const isLines = format === 'lines' || (index < 0 && !isTableWithout(head, first, options));
  const parser = new CsvReader({ maxCellLength: maxBytes, lines: isLines });
  const itemOf = isLines ? lineItem : cellItem(options, index, first?.length ?? 0, keptColumns(first, options));
  return { parser, hasHeader: !isLines, itemOf };
}

function indexOf(first: readonly string[] | undefined, name: string): number {
  return (first ?? []).findIndex((cell) => cell.trim().toLowerCase() === name.trim().toLowerCase());
}

/** @throws UsageError for a name that no column has */
function keptColumns(
  first: readonly string[] | undefined,
  { keep = [], keptBy = () => 'keep_columns' }: ColumnOptions,
) {
  return keep.map((name) => {
    const at = indexOf(first, name);
    if (at >= 0) return { name, at };
    throw new UsageError(`The table has no column ${shortened(name)}.`, { argument: keptBy(name) });
  });
}

/**
 * Checks a text without the column.
 * @returns false for lines and for an empty table
 * @throws UsageError for any other table
 */
function isTableWithout(head: Head, first: readonly string[] | undefined, { name, noun, format }: ColumnOptions) {
  if (first === undefined && head.isComplete) return false;
  if (!(format === 'csv' || looksLikeTable(head))) return false;
  const separator = otherSeparator(head);
  const cells = first === undefined ? [] : separator === undefined ? first : (first[0] ?? '').split(separator);
  const names = cells.slice(0, MAX_NAMES).map((cell) => shortened(cell.trim()));
  const more = cells.length > MAX_NAMES ? `, and ${cells.length - MAX_NAMES} more` : '';
  const description = names.length === 0 ? 'its first row does not end' : `its columns are ${names.join(', ')}${more}`;
  const separators = separator === '\t' ? 'tabs' : 'semicolons';
  throw new UsageError(`The table has no column ${shortened(name)}: ${description}.`, {
    hint: `Set prompt_column to the column of the ${noun}s. ${
      separator === undefined
        ? `If every line is a ${noun}, add ${name} as the first line.`
        : `Separate the columns with commas instead of ${separators}.`
    }`,
  });
}

function lineItem({ cells: [text = ''], line }: CsvRow): Item | undefined {
  return text.trim() === '' ? undefined : { text, line };
}

/** Creates a function from a row to its item. @param width number of columns of the header */
function cellItem(
  { noun, mayBeBlank }: ColumnOptions,
  index: number,
  width: number,
  kept: ReturnType<typeof keptColumns>,
): (row: CsvRow) => Item | undefined {
  return ({ cells, line, open }) => {
    if (cells.every((cell) => cell.trim() === '')) return undefined;
    const surplus = surplusOf(cells, width);
    const text = cells.slice(index, index + 1 + surplus).join(',');
    const others = kept.map(({ name, at }): [string, string] => [name, cells[at > index ? at + surplus : at] ?? '']);
    const item = { text, line, ...(kept.length === 0 ? {} : { columns: Object.fromEntries(others) }) };
    if (open)
      return {
        ...item,
        problem: `The quote that opens in line ${line} is never closed, so it contains the rest of the text.`,
      };
    const isMissing = text.trim() === '' && mayBeBlank !== true;
    return isMissing ? { ...item, problem: `The row in line ${line} has no ${noun}.` } : item;
  };
}

// A row with more cells than the header has unquoted commas. A text cut at the first of them would go unnoticed, so the
// surplus cells belong to this column.
function surplusOf(cells: readonly string[], width: number): number {
  const last = cells.reduce((latest, cell, at) => (cell === '' ? latest : at), 0);
  return Math.max(0, last + 1 - width);
}
