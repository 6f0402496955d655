/** What people read of a result, as aligned columns that fit the terminal. */
import type { Readable, Table } from '../../output/readable.ts';
import { grouped } from '../../text/numbers.ts';
import { clean } from './clean.ts';
import { type ColumnSize, columnWidths, sizeOf, widen } from './columns.ts';
import { type Slices, slicesUntil } from './slices.ts';
import type { Style } from './style.ts';
import { definer, type Page, wrapped } from './wrap.ts';

type Rows = readonly (readonly string[])[];

const GAP = '  ';
const LONGEST_RULE = 40;
const BAD = new Set(['block', 'blocked', 'malicious', 'failed', 'error']);
const GOOD = new Set(['allow', 'allowed', 'benign', 'passed']);
const LONGEST_VERDICT = 'malicious'.length;

/** Most characters that a cell shows: more than a thousand lines. */
const LONGEST_CELL = 100_000;

/** The whole result: title, tables, notes. @throws CancelledError after a stop */
export async function renderReadable(readable: Readable, page: Page): Promise<string> {
  const { style, width, measure } = page;
  const mark = readable.simulated ? [style.bold(style.yellow('SIMULATED'))] : [];
  const head = [...mark, style.bold(shown(readable.title))].join(' ');
  const tables: string[] = [];
  for (const table of readable.tables) tables.push((await renderTable(table, page)).join('\n'));
  const notes = readable.notes.flatMap((note) => wrapped(shown(note), width, measure)).join('\n');
  return [head, ...tables, notes].filter((part) => part !== '').join('\n\n');
}

/** One table, line by line: columns where they fit, otherwise one block a record. @throws CancelledError after a stop */
export async function renderTable(table: Table, page: Page): Promise<string[]> {
  const heading = table.title === undefined ? [] : [page.style.bold(shown(table.title))];
  if (table.rows.length === 0) return [...heading, page.style.dim('No entries.')];
  const slices = slicesUntil(page.signal);
  const columns = table.columns.map(shown);
  const { rows, sizes } = await measured(columns, table.rows, page, slices);
  const widths = columnWidths(sizes, page.width - GAP.length * (columns.length - 1));
  const lines =
    widths === undefined
      ? await blocks(columns, rows, page, slices)
      : await aligned(columns, rows, widths, page, slices);
  return [...heading, ...lines];
}

/** A text of others, harmless and no longer than a table can take. */
function shown(text: string): string {
  if (text.length <= LONGEST_CELL) return clean(text);
  // Half of a pair would be shown as a character of its own.
  const end = /[\ud800-\udbff]/.test(text.charAt(LONGEST_CELL - 1)) ? LONGEST_CELL - 1 : LONGEST_CELL;
  return `${clean(text.slice(0, end))}… (${grouped(text.length - end)} more characters: --output json has all of them)`;
}

/** The rows as they are shown, and how much room their columns take. */
async function measured(columns: readonly string[], given: Rows, { measure }: Page, slices: Slices) {
  const sizes = columns.map((column): ColumnSize => sizeOf(column, measure));
  const rows: string[][] = [];
  for (const row of given) {
    const cells: string[] = [];
    for (const size of sizes) {
      const text = shown(row[cells.length] ?? '');
      cells.push(text);
      widen(size, text, measure);
      const pause = slices.spend(text.length + 1);
      if (pause !== undefined) await pause;
    }
    rows.push(cells);
  }
  return { rows, sizes };
}

async function aligned(
  columns: readonly string[],
  rows: Rows,
  widths: readonly number[],
  page: Page,
  slices: Slices,
): Promise<string[]> {
  const { style, measure } = page;
  const fitted = (cell: string, index: number) => wrapped(cell, widths[index] ?? 1, measure);
  const rule = style.dim(widths.map((width) => '─'.repeat(width)).join(GAP));
  const head = across(columns.map(fitted), widths, page, style.bold);
  const told = (text: string, index: number) => (index === 0 ? text : verdict(text, style));
  const lines: string[][] = [];
  for (const row of rows) {
    const cells: string[][] = [];
    for (const cell of row) {
      cells.push(fitted(cell, cells.length));
      const pause = slices.spend(cell.length + 1);
      if (pause !== undefined) await pause;
    }
    lines.push(across(cells, widths, page, told));
  }
  return [...head, rule, ...(columns.length > 2 ? apart(lines) : lines.flat())];
}

/** Rows of several lines run into each other without a line between them; below a single name nothing else can stand. */
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

async function blocks(columns: readonly string[], rows: Rows, page: Page, slices: Slices): Promise<string[]> {
  const define = definer(columns, page, page.style.bold);
  const rule = page.style.dim('─'.repeat(Math.min(page.width, LONGEST_RULE)));
  const lines: string[] = [];
  for (const [at, row] of rows.entries()) {
    if (at > 0) lines.push(rule);
    for (const [index, column] of columns.entries()) {
      const meaning = row[index] ?? '';
      for (const line of define(column, meaning)) lines.push(line);
      const pause = slices.spend(meaning.length + 1);
      if (pause !== undefined) await pause;
    }
  }
  return lines;
}

function verdict(text: string, style: Style): string {
  if (text.length > LONGEST_VERDICT) return text;
  const word = text.toLowerCase();
  if (BAD.has(word)) return style.red(text);
  return GOOD.has(word) ? style.green(text) : text;
}
