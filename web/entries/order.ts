/** Sorts and filters the rows of a table, and finds those near its visible part. */
import { momentIn, severityRank, stateWord } from '../../lib/runtime/select/printed.ts';
import { memberAt } from '../../lib/runtime/select/result-tables.ts';
import type { ResultTable, TableColumn } from '../types.ts';
import { textOf } from './cells.ts';

export interface Order {
  readonly name: string;
  readonly down: boolean;
}

/** How somebody looks at a table. */
export interface TableState {
  readonly filter: string;
  readonly order: Order | undefined;
  readonly isWide: boolean;
  readonly isFolded: boolean;
  /** The chosen row. */
  readonly row: number;
  /** Whether the chosen row is shown as a whole. */
  readonly isRowOpen: boolean;
}

/** Returns the order after a click on a column: up, down, then as received. */
export function nextOrder(order: Order | undefined, name: string): Order | undefined {
  if (order?.name !== name) return { name, down: false };
  return order.down ? undefined : { name, down: true };
}

const COLLATOR = new Intl.Collator('en', { sensitivity: 'base' });
/** How much of a text decides its place. */
const KEY_LENGTH = 200;

/** Sorts rows by a column: numbers by size, times by moment, severities from critical on. Rows without a value come last. */
export function sorted(rows: readonly unknown[], column: TableColumn | undefined, down: boolean): readonly unknown[] {
  if (column === undefined) return rows;
  const sign = down ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: keyOf(memberAt(row, column.name), column) }));
  keyed.sort((one, other) => compared(one.key, other.key, sign));
  return keyed.map(({ row }) => row);
}

function keyOf(value: unknown, { kind }: TableColumn): number | string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 0 : 1;
  const text = textOf(value).slice(0, KEY_LENGTH);
  if (kind === 'time') {
    const at = momentIn(text);
    return Number.isNaN(at) ? text : at;
  }
  const rank = kind === 'state' ? severityRank(text) : undefined;
  if (rank !== undefined) return rank;
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(text);
  return isNumber ? Number(text) : kind === 'state' ? stateWord(text) : text;
}

/** Numbers come before texts, in either direction. */
function compared(one: number | string | undefined, other: number | string | undefined, sign: number): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  if (typeof one === 'number') return typeof other === 'number' ? sign * (one - other) : -1;
  return typeof other === 'number' ? 1 : sign * COLLATOR.compare(one, other);
}

/** Text of each row, lower case, so that typing in the filter stays fast. */
const texts = new WeakMap<object, string>();

function searchText(row: unknown): string {
  if (typeof row !== 'object' || row === null) return textOf(row).toLowerCase();
  let text = texts.get(row);
  if (text === undefined) {
    text = Object.values(row).map(textOf).join('\n').toLowerCase();
    texts.set(row, text);
  }
  return text;
}

/** Keeps the rows that contain each word of the filter, in any field. */
export function filtered(rows: readonly unknown[], filter: string): readonly unknown[] {
  const words = wordsOf(filter);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = searchText(row);
    return words.every((word) => text.includes(word));
  });
}

/** Chooses and sorts the rows of a table. */
export function rowsOf({ rows, columns }: ResultTable, filter: string, order: Order | undefined): readonly unknown[] {
  const column = columns.find(({ name }) => name === order?.name);
  return sorted(filtered(rows, filter), column, order?.down === true);
}

/** Splits what is typed into a search field. */
export function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Returns the span of rows of equal height to draw, and the heights of what is not drawn. */
export function rowSpan(count: number, row: number, top: number, height: number, around: number) {
  const from = Math.max(0, Math.min(count, Math.floor((top - around) / row)));
  const to = Math.min(count, Math.ceil((top + height + around) / row));
  return { from, to: Math.max(from, to), before: from * row, after: Math.max(0, count - Math.max(from, to)) * row };
}
