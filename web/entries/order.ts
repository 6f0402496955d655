/** Sorts and filters the rows of a table, finds the rows near its visible part, and chooses among entries. */
import { sortValue, valueOrder } from '../../lib/runtime/select/compare.ts';
import type { EntryHead, ResultTable, TableColumn } from '../types.ts';
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
  readonly row: number;
  readonly isRowOpen: boolean;
}

/** Returns the order after a click on a column: up, down, then as received. */
export function nextOrder(order: Order | undefined, name: string): Order | undefined {
  if (order?.name !== name) return { name, down: false };
  return order.down ? undefined : { name, down: true };
}

/** Sorts rows by a column as the terminal does; rows without a value come last. */
export function sorted(rows: readonly unknown[], column: TableColumn | undefined, down: boolean): readonly unknown[] {
  if (column === undefined) return rows;
  const field = { type: 'String', description: '' } as const;
  const read = sortValue({ ...column, field, isAge: false, isDescending: down });
  const keyed = rows.map((row) => ({ row, key: read(row) }));
  return keyed.toSorted((one, other) => valueOrder(one.key, other.key, down ? -1 : 1)).map(({ row }) => row);
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

export function rowsOf({ rows, columns }: ResultTable, filter: string, order: Order | undefined): readonly unknown[] {
  const column = columns.find(({ name }) => name === order?.name);
  return sorted(filtered(rows, filter), column, order?.down === true);
}

export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Returns the span of rows of equal height to draw, and the heights of what is not drawn. */
export function rowSpan(count: number, row: number, top: number, height: number, around: number) {
  const from = Math.max(0, Math.min(count, Math.floor((top - around) / row)));
  const to = Math.min(count, Math.ceil((top + height + around) / row));
  return { from, to: Math.max(from, to), before: from * row, after: Math.max(0, count - Math.max(from, to)) * row };
}

export const CHIPS = ['failed', 'blocked', 'starred', 'mine'] as const;
export type Chip = (typeof CHIPS)[number];

/** Keeps the entries that fit: `failed` and `blocked` widen each other, everything else narrows. @param tab id of this tab */
export function chosen(heads: readonly EntryHead[], text: string, chips: ReadonlySet<Chip>, tab: string) {
  const words = wordsOf(text);
  const anyEnd = !chips.has('failed') && !chips.has('blocked');
  return heads.filter(
    (head) =>
      (anyEnd ||
        (chips.has('failed') && head.state !== 'done') ||
        (chips.has('blocked') && /^block/i.test(head.verdict ?? ''))) &&
      (!chips.has('starred') || head.starred) &&
      (!chips.has('mine') || head.by === tab) &&
      words.every((word) => `${head.line}\n${head.summary}\n${head.command ?? ''}`.toLowerCase().includes(word)),
  );
}

/**
 * Puts entries that were run again in place where the earlier entry was, which they replace.
 * @param places number of the replaced entry by the run that replaces it
 */
export function arranged(heads: readonly EntryHead[], places: ReadonlyMap<string, number>): readonly EntryHead[] {
  if (places.size === 0) return heads;
  const found: EntryHead[] = [];
  const indexes = new Map<number, number>();
  for (const head of heads) {
    const replaced = head.run === null ? undefined : places.get(head.run);
    const at = (replaced === undefined ? undefined : indexes.get(replaced)) ?? found.length;
    found[at] = head;
    indexes.set(head.number, at);
  }
  return found;
}
