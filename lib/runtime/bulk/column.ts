/** Reads one column of a CSV text, or the lines of a plain text, item by item. */
import { UsageError } from '../../core/errors.ts';
import type { TextReader } from '../../core/ports.ts';
import { utf8Length } from '../../core/text/utf8.ts';
import { CsvReader, type CsvRow } from './csv.ts';
import { checkRecords, jsonLines, recordItem } from './json-lines.ts';
import {
  type ColumnOptions,
  columnLabel,
  columnsNamed,
  type Format,
  type Head,
  type Item,
  namesIn,
  type Table,
  tableIn,
} from './table.ts';

export type { ColumnOptions, Delimiter, Format, Item } from './table.ts';

export interface Column<Found extends Item = Item> {
  /** Returns the items of the next chunk, which may be empty; undefined at the end. */
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

/** Maximum size of a table that is parsed only once; larger tables are parsed twice. */
const KEPT_BYTES = 8_000_000;
/** Number of characters that decide whether the text is a table. */
const HEAD_LENGTH = 65_536;

/**
 * Opens a column. Without a format, the text is a table if its first row has the column, or if it looks like a table;
 * otherwise every line is an item, commas and quotes included. A row that cannot be read makes `next` fail. @param
 * again opens the text once more: if given, all rows of a table are read before the first is returned
 * @throws UsageError, after closing the reader, for a table or a first record without the column
 */
export async function openColumn(
  reader: TextReader,
  options: ColumnOptions,
  again?: () => Promise<TextReader>,
): Promise<Column> {
  const { column, isTable } = await opened(reader, options);
  if (again === undefined || !isTable) return column;
  return (await readWhole(column)) ?? (await opened(await again(), options)).column;
}

/** Rows of a table in memory, in pieces. */
interface Piece<Found extends Item> {
  readonly items: readonly Found[];
  /** Number of bytes read. */
  readonly bytes: number;
}

/** Reads all rows of a table. @returns the rows, if they fit in memory */
async function readWhole(column: Column): Promise<Column | undefined> {
  const pieces: Piece<Item>[] = [];
  try {
    for (let items = await column.next(); items !== undefined; items = await column.next()) {
      if (column.bytes() <= KEPT_BYTES) pieces.push({ items, bytes: column.bytes() });
    }
  } finally {
    await column.close();
  }
  return column.bytes() <= KEPT_BYTES ? columnIn(pieces) : undefined;
}

/** Creates a column of items in memory. */
export function columnIn<Found extends Item>(pieces: readonly Piece<Found>[]): Column<Found> {
  const left = pieces.slice();
  let bytes = 0;
  return {
    next: async () => {
      const piece = left.shift();
      bytes = piece?.bytes ?? bytes;
      return piece?.items;
    },
    bytes: () => bytes,
    close: async () => undefined,
  };
}

async function opened(reader: TextReader, options: ColumnOptions): Promise<{ column: Column; isTable: boolean }> {
  try {
    const head = await readHead(reader);
    refuseOtherLineEnds(head);
    const rows = options.format === 'jsonl' ? recordsIn(head, options) : rowsIn(head, options);
    return { column: columnOf(reader, head, rows, options), isTable: rows.hasHeader };
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

/** @throws UsageError if all lines end with CR only, as on old systems: the whole text would be one prompt */
function refuseOtherLineEnds({ text }: Head): void {
  if (text.includes('\n') || !/\r(?!$)/.test(text)) return;
  throw new UsageError('Its lines end with CR, and a line ends with LF or CR LF here.', {
    hint: 'Save it with other line ends. A CR that belongs to a prompt needs a CSV with a header, whose lines end with LF.',
  });
}

function columnOf(reader: TextReader, head: Head, rows: Rows, { maxBytes, noun }: ColumnOptions): Column {
  const { parser, hasHeader, itemOf, text = head.text } = rows;
  let [isFirst, pending, ended] = [hasHeader, text as string | undefined, false];
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
  /** The beginning of the text, if not all of it has been read. */
  readonly text?: string | undefined;
}

function recordsIn(head: Head, options: ColumnOptions): Rows {
  checkRecords(head, options);
  return { parser: jsonLines(options.maxBytes), hasHeader: false, itemOf: recordItem(options) };
}

function rowsIn(head: Head, options: ColumnOptions): Rows {
  const { maxBytes, format, name, delimiter } = options;
  const table = format === 'lines' ? undefined : tableIn(head, name, delimiter);
  const index = table === undefined ? -1 : indexOf(table, name);
  if (table === undefined || (index < 0 && !isTableWithout(head, table, options)))
    return {
      parser: new CsvReader({ maxCellLength: maxBytes, lines: true }),
      ...{ hasHeader: false, itemOf: lineItem, text: isNothing(head, format) ? '' : table?.text },
    };
  const parser = new CsvReader({ maxCellLength: maxBytes, delimiter: table.delimiter });
  const [header] = table.rows;
  if (header !== undefined) refuseQuotes(header, table);
  return { parser, hasHeader: true, itemOf: cellItem(options, table, index), text: table.text };
}

/** Returns true for an empty list or object, which other programs write if there are no prompts. */
function isNothing({ text, isComplete }: Head, format: ColumnOptions['format']): boolean {
  return isComplete && format === undefined && /^[\s\ufeff"'[\]{}]*$/.test(text);
}

/** @throws UsageError if two columns have this name */
function indexOf({ rows: [first] }: Table, name: string): number {
  const [index = -1, other] = columnsNamed(first, name);
  if (other === undefined) return index;
  throw new UsageError(
    `The table has the column ${columnLabel(name)} twice: it is column ${index + 1} and ${other + 1}.`,
    {
      hint: 'Rename the other column.',
    },
  );
}

/** @throws UsageError if no column has the name */
function keptColumns(table: Table, { keep = [], keptBy = () => 'keep_columns' }: ColumnOptions) {
  return keep.map((name) => {
    const at = indexOf(table, name);
    if (at >= 0) return { name, at };
    throw new UsageError(`The table has no column ${columnLabel(name)}.`, { argument: keptBy(name) });
  });
}

/**
 * Checks a text without the column.
 * @returns false for lines and for an empty table
 * @throws UsageError for any other table
 */
function isTableWithout(head: Head, table: Table, { name, noun, format, delimiter }: ColumnOptions) {
  const [first] = table.rows;
  if (first === undefined && head.isComplete) return false;
  if (!(format === 'csv' || delimiter !== undefined || table.isLikely)) return false;
  const by = `separated by ${table.separators}`;
  const description =
    first === undefined
      ? `its first row has more than ${HEAD_LENGTH} characters`
      : `its columns, ${by}, are ${namesIn(first, ', ')}`;
  throw new UsageError(`The table has no column ${columnLabel(name)}: ${description}.`, {
    hint: `Set prompt_column to the column of the ${noun}s, or delimiter to what separates the columns. If every line is a ${noun}, add ${name} as the first line.`,
  });
}

function lineItem({ cells: [text = ''], line }: CsvRow): Item | undefined {
  return text.trim() === '' ? undefined : { text, line };
}

/** Creates a function from a row to its item. */
function cellItem(options: ColumnOptions, table: Table, index: number): (row: CsvRow) => Item | undefined {
  const kept = keptColumns(table, options);
  const width = table.rows[0]?.cells.length ?? 0;
  return (row) => {
    const { cells, line } = row;
    refuseQuotes(row, table);
    if (cells.every((cell) => cell.trim() === '')) return undefined;
    refuseCells(row, table, width);
    // If there is only one column, delimiters are part of its text.
    const text = width === 1 ? cells.slice(0, lengthOf(cells)).join(table.delimiter) : (cells[index] ?? '');
    const others = kept.map(({ name, at }): [string, string] => [name, cells[at] ?? '']);
    const isBlank = text.trim() === '' && options.mayBeBlank !== true;
    return {
      ...{ text, line },
      ...(kept.length === 0 ? {} : { columns: Object.fromEntries(others) }),
      ...(isBlank ? { problem: `The row in line ${line} has no ${options.noun}.` } : {}),
    };
  };
}

/** @throws UsageError for a quote that ends a cell where its author did not mean it to end */
function refuseQuotes({ line, lastLine, quotes }: CsvRow, table: Table): void {
  if (quotes === 'open')
    throw unreadable(
      `The quote that opens in line ${line} is never closed, so it contains the rest of the text.`,
      table,
    );
  const where = lastLine > line ? `lines ${line} to ${lastLine}` : `line ${line}`;
  if (quotes === 'text')
    throw unreadable(
      `The row in ${where} has text after a closing quote: a quote inside a quoted cell is written twice.`,
      table,
    );
}

/**
 * @throws UsageError for more cells than columns: otherwise a text that was split at a delimiter would go unnoticed
 * inside it
 */
function refuseCells({ cells, line }: CsvRow, table: Table, width: number): void {
  if (width === 1 || lengthOf(cells) <= width) return;
  const counts = `${lengthOf(cells)} cells, and the header has ${width}`;
  throw unreadable(
    `The row in line ${line} has ${counts}: a text with ${table.separators} needs quotes around it.`,
    table,
  );
}

function unreadable(message: string, { separators }: Table): UsageError {
  return new UsageError(message, {
    hint: `Nothing was scanned. The columns were read as separated by ${separators}; set delimiter if that is wrong.`,
  });
}

/** Returns the number of cells, not counting empty cells at the end. */
function lengthOf(cells: readonly string[]): number {
  return cells.reduce((length, cell, at) => (cell === '' ? length : at + 1), 0);
}
