/** Renders a result for a terminal: tables whose cells wrap; `records/` lays out lists, which are cut instead, and records. */

import { grouped } from '../../../core/text/numbers.ts';
import type { Readable, Table } from '../../../runtime/output/readable.ts';
import { paintedMark } from '../ui/cells.ts';
import { mapInTurns } from '../ui/in-turns.ts';
import type { Measure } from '../ui/measure.ts';
import { plainHeading, sanitize } from '../ui/sanitize.ts';
import type { Style } from '../ui/style.ts';
import { definitionRenderer, type Page, wrapped } from '../ui/wrap.ts';
import { HOW_TO_SEE_ALL, NARROWEST_LIST, type RenderedList, renderList } from './records/list.ts';
import { marked, type Painted, renderRecord } from './records/record-view.ts';

type Rows = readonly (readonly string[])[];

const GAP = '  ';
const MAX_RULE_LENGTH = 40;
const BAD = new Set(['block', 'blocked', 'malicious', 'failed', 'error']);
const GOOD = new Set(['allow', 'allowed', 'benign', 'passed']);
const MAX_STATE_LENGTH = '· not configured'.length;

/** Maximum characters of a cell: more than a thousand lines. */
const MAX_CELL_LENGTH = 100_000;

/** Sets how lists are shown. */
export interface TableOptions {
  readonly wide?: boolean | undefined;
  /** Whether the output is a terminal: a line wider than the page continues on the next line, at the next column. */
  readonly folds?: boolean | undefined;
  /** Milliseconds since the epoch; without it, times are shown in full. */
  readonly now?: number | undefined;
  /** Writes the commands in a note for the user's shell. */
  readonly commands?: ((note: string) => string) | undefined;
  /** Whether the caller reports how many records of each kind there are. */
  readonly isCounted?: boolean | undefined;
  /** Whether the notes say how to see everything. */
  readonly isExplained?: boolean | undefined;
}

/** Renders a result: verdict or title, tables, notes, and a summary last. @throws CancelledError after a stop */
export async function renderReadable(readable: Readable, page: Page, options: TableOptions = {}): Promise<string> {
  const { style, width, measure } = page;
  const { simulated, tables } = readable;
  const title = shown(readable.title);
  const parts: RenderedTable[] = [];
  for (const table of tables) parts.push(await renderPart(table, title, page, options));
  const head = marked(parts[0]?.headline ?? { plain: title, painted: style.bold(title) }, simulated, page);
  const [first = '', ...others] = parts.map(({ lines }) => lines.join('\n'));
  const lists = parts.flatMap(({ list }) => (list === undefined ? [] : [list]));
  const summary = wrapped(summaryOf(lists, options), width, measure).join('\n');
  const [list] = lists;
  const isOnlyList = parts.length === 1 && list !== undefined;
  const commands = options.commands ?? ((note: string) => note);
  const notes = readable.notes.flatMap((note) => wrapped(commands(shown(note)), width, measure)).join('\n');
  // The footer of a list is one block.
  const footer = isOnlyList ? [[notes, summary].filter((part) => part !== '').join('\n')] : [notes, summary];
  return [[...head, first].filter((part) => part !== '').join('\n'), ...others, ...footer]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Renders one table: a record, a list with one line for each record, or columns. @param title of the result, which names the records of a list */
export async function renderPart(
  table: Table,
  title: string,
  page: Page,
  { wide, folds, now }: TableOptions,
): Promise<RenderedTable> {
  const { of } = table;
  if (of?.many === false) return renderRecord(table, of, page, shown);
  if (of === undefined || page.width < NARROWEST_LIST) return { lines: await renderTable(table, page) };
  const heading = table.title === undefined ? [] : [page.style.bold(shown(table.title))];
  const list = await renderList(table, of, table.title ?? title, { ...page, wide: wide === true, folds, now });
  return { lines: [...heading, ...list.lines], list };
}

interface RenderedTable {
  /** Replaces the title. */
  readonly headline?: Painted | undefined;
  readonly lines: readonly string[];
  readonly list?: RenderedList;
}

/** Several lists, such as the parts of a report, are short enough to be counted by eye. */
function summaryOf(lists: readonly RenderedList[], { isCounted, isExplained }: TableOptions): string {
  if (isExplained === true) return '';
  const [first] = lists;
  if (first !== undefined && lists.length === 1 && isCounted !== true) return first.summary;
  return lists.some(({ isShort }) => isShort) ? HOW_TO_SEE_ALL : '';
}

/** Renders a table as lines: columns if they fit, otherwise a block for each record. @throws CancelledError after a stop */
export async function renderTable(table: Table, page: Page): Promise<string[]> {
  const heading = table.title === undefined ? [] : [page.style.bold(shown(table.title))];
  if (table.rows.length === 0) return [...heading, page.style.dim('No entries.')];
  const columns = table.columns.map((column) => plainHeading(shown(column)));
  const { rows, sizes } = await measured(columns, table.rows, page);
  const widths = columnWidths(sizes, page.width - GAP.length * (columns.length - 1));
  const lines = widths === undefined ? await blocks(columns, rows, page) : await aligned(columns, rows, widths, page);
  return [...heading, ...lines];
}

/** Sanitizes a text and limits its length. */
function shown(text: string): string {
  if (text.length <= MAX_CELL_LENGTH) return sanitize(text);
  // Half a surrogate pair would be shown as a separate character.
  const end = /[\ud800-\udbff]/.test(text.charAt(MAX_CELL_LENGTH - 1)) ? MAX_CELL_LENGTH - 1 : MAX_CELL_LENGTH;
  return `${sanitize(text.slice(0, end))}… (${grouped(text.length - end)} more characters: --output json has all of them)`;
}

/** Sanitizes all cells and measures the columns. */
async function measured(columns: readonly string[], unsafe: Rows, { measure, signal }: Page) {
  const sizes = columns.map((column) => sizeOf(column, measure));
  const rows = await mapInTurns(unsafe, signal, (row) =>
    sizes.map((size, index) => {
      const text = shown(row[index] ?? '');
      widen(size, text, measure);
      return text;
    }),
  );
  return { rows, sizes };
}

async function aligned(
  columns: readonly string[],
  rows: Rows,
  widths: readonly number[],
  page: Page,
): Promise<string[]> {
  const { style, measure, signal } = page;
  const fitted = (cell: string, index: number) => wrapped(cell, widths[index] ?? 1, measure);
  const rule = style.dim(widths.map((width) => '─'.repeat(width)).join(GAP));
  const head = across(columns.map(fitted), widths, page, style.bold);
  const emphasis = (text: string, index: number) => (index === 0 ? text : verdict(text, style));
  const lines = await mapInTurns(rows, signal, (row) => across(row.map(fitted), widths, page, emphasis));
  return [...head, rule, ...(columns.length > 2 ? apart(lines) : lines.flat())];
}

/** Separates multi-line rows with blank lines. */
function apart(rows: Rows): string[] {
  const lines: string[] = [];
  let before = 1;
  for (const row of rows) {
    if (lines.length > 0 && (row.length > 1 || before > 1)) lines.push('');
    for (const line of row) lines.push(line);
    before = row.length;
  }
  return lines;
}

function across(
  cells: Rows,
  widths: readonly number[],
  { measure }: Page,
  emphasis: (text: string, index: number) => string,
): string[] {
  const height = cells.reduce((most, { length }) => Math.max(most, length), 1);
  return Array.from({ length: height }, (_, at) => {
    let line = '';
    for (let index = 0; index < cells.length; index += 1) {
      const text = cells[index]?.[at] ?? '';
      const space = Math.max(0, (widths[index] ?? 0) - measure(text));
      line += (index === 0 ? '' : GAP) + emphasis(text, index) + ' '.repeat(space);
    }
    return line.trimEnd();
  });
}

async function blocks(columns: readonly string[], rows: Rows, page: Page): Promise<string[]> {
  const define = definitionRenderer(columns, page, page.style.bold);
  const rule = page.style.dim('─'.repeat(Math.min(page.width, MAX_RULE_LENGTH)));
  const blocksOfRows = await mapInTurns(rows, page.signal, (row, at) => [
    ...(at > 0 ? [rule] : []),
    ...columns.flatMap((column, index) => define(column, row[index] ?? '')),
  ]);
  return blocksOfRows.flat();
}

function verdict(text: string, style: Style): string {
  if (text.length > MAX_STATE_LENGTH) return text;
  const word = text.toLowerCase();
  if (BAD.has(word)) return style.red(text);
  return GOOD.has(word) ? style.green(text) : paintedMark(text, style);
}

const NARROWEST = 8;
// Users copy ids as a whole; longer words are addresses or blobs and may be broken.
const MAX_WHOLE_WORD_LENGTH = 40;

/** Size of a column, measured cell by cell. */
export interface ColumnSize {
  /** The widest line. */
  line: number;
  /** The widest word. */
  word: number;
}

/** Measures the heading of a column. */
export function sizeOf(heading: string, measure: Measure): ColumnSize {
  const size = { line: 0, word: 0 };
  widen(size, heading, measure);
  return size;
}

/** Adds one cell to the size of a column. */
export function widen(size: ColumnSize, text: string, measure: Measure): void {
  size.line = widest(text.split('\n'), size.line, measure);
  size.word = widest(text.split(/\s+/), size.word, measure);
}

function widest(parts: readonly string[], known: number, measure: Measure): number {
  return parts.reduce((most, part) => Math.max(most, measure(part)), known);
}

/**
 * Computes the widths of all columns.
 * @param available columns of the terminal, without gaps
 * @returns undefined if a column would be too narrow to read
 */
export function columnWidths(sizes: readonly ColumnSize[], available: number): number[] | undefined {
  const wanted = sizes.map(({ line, word }) => ({
    natural: line,
    floor: Math.min(line, Math.max(NARROWEST, Math.min(word, MAX_WHOLE_WORD_LENGTH))),
  }));
  for (let most = available; most >= 0; most -= 1) {
    const widths = wanted.map(({ natural, floor }) => Math.max(floor, Math.min(natural, most)));
    if (widths.reduce((total, width) => total + width, 0) <= available) return widths;
  }
  return undefined;
}
