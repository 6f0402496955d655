/** One column of a CSV text, or its lines where it is no table: item by item, however long the text is. */
import { UsageError } from '../errors.ts';
import type { TextReader } from '../ports.ts';
import { utf8Length } from '../text/utf8.ts';
import { type CsvRow, csvReader } from './csv.ts';
import { firstRow, type Head, looksLikeTable, otherSeparator } from './table.ts';

export interface Item {
  readonly text: string;
  /** Why the text is not to be used, as a sentence. */
  readonly problem?: string;
}

export interface Column {
  /** The items of the next piece, perhaps none of them; undefined at the end. */
  next(): Promise<readonly Item[] | undefined>;
  /** How much has been read, in bytes. */
  bytes(): number;
  close(): Promise<void>;
}

export interface ColumnOptions {
  /** The header of the column, in any case, with or without space around it. */
  readonly name: string;
  /** What an item is called in messages. */
  readonly noun: string;
  /** Maximum bytes of an item; longer ones are cut and have a problem that says so. */
  readonly longest: number;
  /** It is a table, whatever it looks like. */
  readonly isTable: boolean;
}

/** Number of characters that decide whether the text is a table. */
const HEAD = 65_536;
const [MOST_NAMES, LONGEST_NAME] = [20, 40];

/**
 * Reads the beginning of a text. It is a table when its first row has the column, when the options say so, or when it
 * looks like one; otherwise every line is an item, commas and quotes included.
 * @throws UsageError for a table without the column; the reader is closed then
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
  while (text.length < HEAD) {
    const piece = await reader.next();
    if (piece === undefined) return { text, isWhole: true };
    text += piece;
  }
  return { text, isWhole: false };
}

function columnOf(reader: TextReader, head: Head, options: ColumnOptions): Column {
  const { longest, noun } = options;
  const first = firstRow(head);
  const index = (first ?? []).findIndex((cell) => cell.trim().toLowerCase() === options.name.trim().toLowerCase());
  const isLines = index < 0 && !isTableWithout(head, first, options);
  const parser = csvReader({ longest, lines: isLines });
  const itemOf = isLines ? lineItem : cellItem(noun, index, first?.length ?? 0);
  let [isFirst, pending, ended] = [!isLines, head.text as string | undefined, false];
  let bytes = utf8Length(head.text);

  const itemsOf = (rows: readonly CsvRow[]): Item[] => {
    const body = isFirst && rows.length > 0 ? rows.slice(1) : rows;
    isFirst &&= rows.length === 0;
    return body.map(itemOf).filter((item) => item !== undefined);
  };

  const checked = (item: Item): Item =>
    item.problem === undefined && item.text.length * 3 > longest && utf8Length(item.text) > longest
      ? { ...item, problem: `The ${noun} has more than ${longest} bytes.` }
      : item;

  const read = async (): Promise<string | undefined> => {
    const piece = pending ?? (head.isWhole ? undefined : await reader.next());
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

/** @returns false for lines, and for a table of nothing @throws UsageError for a table, which has not got the column */
function isTableWithout(head: Head, first: readonly string[] | undefined, { name, noun, isTable }: ColumnOptions) {
  if (first === undefined && head.isWhole) return false;
  if (!(isTable || looksLikeTable(head))) return false;
  const separator = otherSeparator(head);
  const cells = first === undefined ? [] : separator === undefined ? first : (first[0] ?? '').split(separator);
  const shown = cells.slice(0, MOST_NAMES).map((cell) => short(cell.trim()));
  const more = cells.length > MOST_NAMES ? `, and ${cells.length - MOST_NAMES} more` : '';
  const found = shown.length === 0 ? 'its first row does not end' : `its columns are ${shown.join(', ')}${more}`;
  const between = separator === '\t' ? 'tabs' : 'semicolons';
  throw new UsageError(`The table has no column ${short(name)}: ${found}.`, {
    hint:
      separator === undefined
        ? `Name the column of the ${noun}s with prompt_column. If every line is a ${noun}, put a first line above them that says ${name}.`
        : `Put commas between the columns, where there are ${between} now, and name the column of the ${noun}s with prompt_column.`,
  });
}

function short(text: string): string {
  return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}...` : text;
}

function lineItem({ cells: [text = ''] }: CsvRow): Item | undefined {
  return text.trim() === '' ? undefined : { text };
}

/** From the rows of a table with so many columns to the items of one of them. */
function cellItem(noun: string, index: number, width: number): (row: CsvRow) => Item | undefined {
  return ({ cells, line, open }) => {
    if (cells.every((cell) => cell.trim() === '')) return undefined;
    const text = cellText(cells, index, width);
    if (open)
      return { text, problem: `The quote that opens in line ${line} is never closed: it takes in all that follows.` };
    return text.trim() === '' ? { text, problem: `The row in line ${line} has no ${noun}.` } : { text };
  };
}

// A row with more cells than the header has unquoted commas. What is cut off at the first of them would go
// unnoticed, so the surplus belongs to this column.
function cellText(cells: readonly string[], index: number, width: number): string {
  const last = cells.reduce((found, cell, at) => (cell === '' ? found : at), 0);
  const surplus = Math.max(0, last + 1 - width);
  return cells.slice(index, index + 1 + surplus).join(',');
}
