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
  const cells = rows.map((row) => row.map(fit));
  const rule = style.dim(widths.map((width) => '─'.repeat(width)).join(GAP));
  const head = across(columns.map(fit), widths, page, style.bold);
  const lines = cells.map((row) =>
    across(row, widths, page, (text, index) => (index === 0 ? text : verdict(text, style))),
  );
  return [...head, rule, ...(columns.length > 2 ? apart(lines) : lines.flat())];
}

/** Rows of several lines run into each other without a line between them; below a single name nothing else can stand. */
function apart(rows: Rows): string[] {
  return rows.flatMap((row, index) => {
    const before = rows[index - 1] ?? [''];
    return index > 0 && (row.length > 1 || before.length > 1) ? ['', ...row] : row;
  });
}

function across(
  cells: Rows,
  widths: readonly number[],
  { measure }: Page,
  emphasis: (text: string, index: number) => string,
): string[] {
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const parts = cells.map((lines, index) => {
      const text = lines[line] ?? '';
      return emphasis(text, index) + ' '.repeat(Math.max(0, (widths[index] ?? 0) - measure(text)));
    });
    return parts.join(GAP).trimEnd();
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
  const word = text.toLowerCase();
  if (BAD.has(word)) return style.red(text);
  return GOOD.has(word) ? style.green(text) : text;
}
