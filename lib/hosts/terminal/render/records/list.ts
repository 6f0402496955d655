/** Renders a list of records: one line for each record at every width, important columns first, ids shortened. */

import type { ShownRecord, Table } from '../../../../output/readable.ts';
import { severityRank, withoutMark } from '../../../../project/printed.ts';
import { grouped } from '../../../../text/numbers.ts';
import { titleInSentence } from '../../../../text/titles.ts';
import { paintedMark } from '../cells.ts';
import { mapInTurns } from '../in-turns.ts';
import type { Measure } from '../measure.ts';
import { cutAtStart, cutAtWord } from '../wrap.ts';
import { type Column, fitted, GAP, type ListView, widthOf } from './fit-columns.ts';
import { columnsOf, FOLD, foldedAt, withFurther } from './list-columns.ts';

/** Below this width, the fields of a record are stacked. */
export const NARROWEST_LIST = 60;

export interface RenderedList {
  readonly lines: readonly string[];
  /** Number of records by kind, and how to see the others. */
  readonly summary: string;
  /** Columns are left out, or texts or ids are cut. */
  readonly isShort: boolean;
}

export const HOW_TO_SEE_ALL = 'Full ids and all columns: --wide';
/** The same, for a line without room for it. */
const HOW_IN_SHORT = 'All: --wide';

/** @param title names the records, in the plural. @throws CancelledError after a stop */
export async function renderList(
  declared: Table,
  shown: ShownRecord,
  title: string,
  view: ListView,
): Promise<RenderedList> {
  const { table, of } = withFurther(declared, shown);
  const { style, wide } = view;
  if (table.rows.length === 0) return { lines: [], summary: `No ${titleInSentence(title, 0)}.`, isShort: false };
  const all = await columnsOf(table, of, view);
  const columns = fitted(all, of, view);
  const natural = new Map(columns.map((column) => [column, widthOf(column, view)]));
  const isCut = columns.length < all.length || columns.some((column) => column.width < (natural.get(column) ?? 0));
  const parts = wide && view.folds === true ? foldedAt(columns, view.width) : [columns];
  const linesOf = (textOf: (column: Column) => string) =>
    parts.map((part, at) => (at === 0 ? '' : FOLD) + lineOf(part, textOf, view));
  const heading = linesOf(({ title: name }) => name.toUpperCase()).map(style.bold);
  const lines = await mapInTurns(table.rows, view.signal, (_, at) => linesOf(({ cells }) => cells[at] ?? ''));
  const isShort = !wide && (isCut || columns.some(({ full }) => full !== undefined));
  return {
    lines: [...heading, ...lines.flat()],
    summary: summaryOf(table.rows.length, title, all, isShort, view),
    isShort,
  };
}

function lineOf(columns: readonly Column[], textOf: (column: Column) => string, view: ListView): string {
  const parts = columns.map((column) => {
    const text = shortened(textOf(column), column, view.measure);
    const space = ' '.repeat(Math.max(0, column.width - view.measure(text)));
    const painted = column.kind === 'state' ? paintedMark(text, view.style) : text;
    return column.kind === 'number' ? space + painted : painted + space;
  });
  return parts.join(GAP).trimEnd();
}

/** The end of an address says more than its beginning, and long ids of one kind differ at the end. */
function shortened(text: string, { width, kind }: Column, measure: Measure): string {
  const endCounts = kind === 'id' || /^\S*\/\S*$/.test(text);
  if (measure(text) <= width || !endCounts || /\s/.test(text)) return cutAtWord(text, width, measure);
  return cutAtStart(text, width, measure);
}

/** Maximum number of different words that the summary counts. */
const MAX_KINDS = 5;

function summaryOf(
  count: number,
  title: string,
  columns: readonly Column[],
  isShort: boolean,
  { width, measure }: ListView,
): string {
  const kinds = kindsOf(columns);
  const names = namesOf(title, count).map((name) => `${grouped(count)} ${name}`);
  const [full = '', ...short] = names;
  const how = isShort ? [` ${HOW_TO_SEE_ALL}`, ` ${HOW_IN_SHORT}`] : [''];
  const brief = how.at(-1) ?? '';
  const ways = [
    ...how.map((rest) => `${full}${kinds}.${rest}`),
    ...short.map((name) => `${name}${kinds}.${brief}`),
    ...names.map((name) => `${name}.${brief}`),
  ];
  return ways.find((text) => measure(text) <= width) ?? `${full}.${brief}`;
}

/** Names records in a sentence, the whole title first: `attacks of the red-team scan`, then `attacks`. */
function namesOf(title: string, count: number): string[] {
  const whole = titleInSentence(title, count);
  const [unqualified = whole] = whole.split(' of ');
  return [...new Set([whole, unqualified, unqualified.split(' ').at(-1) ?? unqualified])];
}

/** Counts the words of the first column of states, severities from critical to low. */
function kindsOf(columns: readonly Column[]): string {
  const state = columns.find(({ kind }) => kind === 'state');
  const counts = new Map<string, number>();
  for (const cell of state?.cells.map(withoutMark) ?? []) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  counts.delete('');
  if (counts.size < 2 || counts.size > MAX_KINDS) return '';
  const rankOf = (word: string) => severityRank(word) ?? Number.POSITIVE_INFINITY;
  const sorted = [...counts].toSorted(([one], [other]) =>
    rankOf(one) === rankOf(other) ? 0 : rankOf(one) - rankOf(other),
  );
  return `: ${sorted.map(([word, n]) => `${n} ${word}`).join(', ')}`;
}
