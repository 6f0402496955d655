/** What people read of a result, as aligned columns that fit the terminal. */
import type { Readable, Table } from '../../output/readable.ts';
import { clean } from './clean.ts';
import { columnWidths } from './columns.ts';
import type { Style } from './style.ts';
import { definitions, type Page, wrapped } from './wrap.ts';

type Rows = readonly (readonly string[])[];

const GAP = '  ';
const LONGEST_RULE = 40;
const BAD = new Set(['block', 'blocked', 'malicious', 'failed', 'error']);
const GOOD = new Set(['allow', 'allowed', 'benign', 'passed']);
const LONGEST_VERDICT = 'malicious'.length;

/** The whole result: title, tables, notes. */
export function renderReadable(readable: Readable, page: Page): string {
  const { style, width, measure } = page;
  const mark = readable.simulated ? [style.bold(style.yellow('SIMULATED'))] : [];
  const head = [...mark, style.bold(clean(readable.title))].join(' ');
  const tables = readable.tables.map((table) => renderTable(table, page).join('\n'));
  const notes = readable.notes.flatMap((note) => wrapped(clean(note), width, measure)).join('\n');
  return [head, ...tables, notes].filter((part) => part !== '').join('\n\n');
}

/** One table, line by line: columns where they fit, otherwise one block a record. */
export function renderTable(table: Table, page: Page): string[] {
  const heading = table.title === undefined ? [] : [page.style.bold(clean(table.title))];
  if (table.rows.length === 0) return [...heading, page.style.dim('No entries.')];
  const columns = table.columns.map(clean);
  const rows = table.rows.map((row) => columns.map((_, index) => clean(row[index] ?? '')));
  const texts = columns.map((column, index) => [column, ...rows.map((row) => row[index] ?? '')]);
  const widths = columnWidths(texts, page.width - GAP.length * (columns.length - 1), page.measure);
  return [...heading, ...(widths === undefined ? blocks(columns, rows, page) : aligned(columns, rows, widths, page))];
}

function aligned(columns: readonly string[], rows: Rows, widths: readonly number[], page: Page): string[] {
  const { style, measure } = page;
  const fit = (cell: string, index: number) => wrapped(cell, widths[index] ?? 1, measure);
  const rule = style.dim(widths.map((width) => '─'.repeat(width)).join(GAP));
  const head = across(columns.map(fit), widths, page, style.bold);
  const told = (text: string, index: number) => (index === 0 ? text : verdict(text, style));
  const lines = rows.map((row) => across(row.map(fit), widths, page, told));
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

function blocks(columns: readonly string[], rows: Rows, page: Page): string[] {
  const records = rows.map((row) => {
    const pairs = columns.map((column, index) => [column, row[index] ?? ''] as const);
    return definitions(pairs, page, page.style.bold);
  });
  const rule = page.style.dim('─'.repeat(Math.min(page.width, LONGEST_RULE)));
  return records.flatMap((lines, index) => (index === 0 ? lines : [rule, ...lines]));
}

function verdict(text: string, style: Style): string {
  if (text.length > LONGEST_VERDICT) return text;
  const word = text.toLowerCase();
  if (BAD.has(word)) return style.red(text);
  return GOOD.has(word) ? style.green(text) : text;
}
