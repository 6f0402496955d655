/** One column of a CSV text, or its lines where it has no such column: item by item, however long the text is. */
import type { TextReader } from '../ports.ts';
import { utf8Length } from '../text/utf8.ts';
import { type CsvReader, type CsvRow, csvReader } from './csv.ts';

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

/** So much is read at most to find the header. */
const HEADER = 65_536;

/**
 * The header is the first row, when one of its cells is the name of the column: in any case, with or without space
 * around it. Without a header every line is an item, commas and quotes included.
 * @param longest items may have so many bytes; longer ones are cut, and said to be too long
 */
export function readColumn(reader: TextReader, name: string, longest: number): Column {
  const rows = csvReader({ longest });
  let items: ((row: CsvRow) => Item | undefined) | undefined;
  let parser: CsvReader = rows;
  let head = '';
  let bytes = 0;
  let ended = false;

  /** Decides what the text is, once its first row is known. @returns the rows that were read to find that out */
  const decide = (first: readonly CsvRow[]): readonly CsvRow[] => {
    const cells = (first[0]?.cells ?? []).map((cell) => cell.trim().toLowerCase());
    const index = cells.indexOf(name);
    if (index >= 0) {
      items = itemOf(name, index, cells.length);
      return first.slice(1);
    }
    parser = csvReader({ longest, lines: true });
    items = ({ cells: [text = ''] }) => (text.trim() === '' ? undefined : { text });
    return parser.push(head);
  };

  const parse = (piece: string | undefined): readonly CsvRow[] => {
    if (items !== undefined) return piece === undefined ? parser.end() : parser.push(piece);
    head += piece ?? '';
    const read = piece === undefined ? rows.end() : rows.push(piece);
    if (read.length === 0 && piece !== undefined && head.length < HEADER) return [];
    const decided = decide(read);
    // A text of lines begins anew with another parser, which has not seen the end yet.
    return piece === undefined && parser !== rows ? [...decided, ...parser.end()] : decided;
  };

  const checked = (item: Item): Item =>
    item.problem === undefined && item.text.length * 3 > longest && utf8Length(item.text) > longest
      ? { ...item, problem: `The ${name} has more than ${longest} bytes.` }
      : item;

  return {
    next: async () => {
      if (ended) return undefined;
      const piece = await reader.next();
      ended = piece === undefined;
      bytes += utf8Length(piece ?? '');
      const found = parse(piece).map((row) => items?.(row));
      return found.filter((item): item is Item => item !== undefined).map(checked);
    },
    bytes: () => bytes,
    close: () => reader.close(),
  };
}

/** From the rows of a table with so many columns to the items of one of them. */
function itemOf(name: string, index: number, width: number): (row: CsvRow) => Item | undefined {
  return ({ cells, line, open }) => {
    if (cells.every((cell) => cell.trim() === '')) return undefined;
    const text = cellText(cells, index, width);
    if (open)
      return { text, problem: `The quote that opens in line ${line} is never closed: it takes in all that follows.` };
    return text.trim() === '' ? { text, problem: `The row in line ${line} has no ${name}.` } : { text };
  };
}

// A row with more cells than the header has commas that nobody quoted. What is cut off at the first of them would go
// unnoticed, so the surplus belongs to this column.
function cellText(cells: readonly string[], index: number, width: number): string {
  const last = cells.reduce((found, cell, at) => (cell === '' ? found : at), 0);
  const surplus = Math.max(0, last + 1 - width);
  return cells.slice(index, index + 1 + surplus).join(',');
}
