/** Renders a list of records: one line for each record at every width, important columns first, ids shortened. */

import type { ShownRecord, Table } from '../../../output/readable.ts';
import { titleInSentence } from '../../../text/titles.ts';
import { ageOf, type CellKind, flagOf, isUuid, kindOf, oneLine, shortIds, stateOf } from './cells.ts';
import { graphemes } from './graphemes.ts';
import { mapInTurns } from './in-turns.ts';
import type { Measure } from './measure.ts';
import { sanitize } from './sanitize.ts';
import { cutAtWord, type Page } from './wrap.ts';

/** Below this width, the fields of a record are stacked. */
export const NARROWEST_LIST = 60;

const GAP = '  ';
/** A cell of text may become this narrow before columns are left out. */
const NARROWEST_TEXT = 14;
const NARROWEST_WHEN_FULL = 8;
/** Room for one text where the line has no end. */
const WIDEST_TEXT = 60;
const MAX_CELL_LENGTH = 1000;

interface Column {
  readonly name: string;
  readonly title: string;
  readonly kind: CellKind;
  readonly cells: readonly string[];
  width: number;
}

export interface ListView extends Page {
  /** Show all columns, and ids in full. */
  readonly wide: boolean;
  /** For ages; in milliseconds since the epoch. Without it, times stand in full. */
  readonly now: number | undefined;
}

export interface RenderedList {
  readonly lines: readonly string[];
  /** Number of records by kind, and how to see the others. */
  readonly summary: string;
  /** Columns are left out, or texts or ids are cut. */
  readonly isShort: boolean;
}

export const HOW_TO_SEE_ALL = 'Full ids and all columns: --wide';

/** @param title names the records, in the plural. @throws CancelledError after a stop */
export async function renderList(table: Table, of: ShownRecord, title: string, view: ListView): Promise<RenderedList> {
  const { style, wide } = view;
  if (table.rows.length === 0) return { lines: [], summary: `No ${titleInSentence(title, 0)}.`, isShort: false };
  const all = await columnsOf(table, of, view);
  const chosen = wide ? all : firstOf(all, of);
  const wanted = chosen.map(({ width }) => width);
  const columns = fitted(chosen, view);
  const heading = style.bold(lineOf(columns, ({ title: name }) => name.toUpperCase(), view));
  const lines = await mapInTurns(table.rows, view.signal, (_, at) =>
    lineOf(columns, ({ cells }) => cells[at] ?? '', view),
  );
  const isCut = columns.length < all.length || columns.some(({ width }, at) => width < (wanted[at] ?? 0));
  const isShort = !wide && (isCut || table.rows.some((row) => row.some(isUuid)));
  return { lines: [heading, ...lines], summary: summaryOf(table.rows.length, title, all, isShort), isShort };
}

async function columnsOf(table: Table, of: ShownRecord, view: ListView): Promise<Column[]> {
  const columns: Column[] = [];
  for (const [at, column] of table.columns.entries()) {
    const [name, field] = of.fields[at] ?? [column.toLowerCase().replace(/ /g, '_'), undefined];
    const kind = field === undefined ? kindOfRows(name, table, at) : kindOf(name, field);
    const texts = await mapInTurns(table.rows, view.signal, (row) =>
      oneLine(sanitize((row[at] ?? '').slice(0, MAX_CELL_LENGTH))),
    );
    const shown = shownAs(kind, texts, view);
    const cells = texts.map(shown);
    const title = titleOf(column, kind, view.wide);
    const width = cells.reduce((most, cell) => Math.max(most, view.measure(cell)), view.measure(title));
    columns.push({ name, title, kind, cells, width });
  }
  // A column in which nothing stands tells nothing, unless it was asked for.
  return columns.filter(({ cells }) => view.wide || cells.some((cell) => cell !== ''));
}

function kindOfRows(name: string, { rows }: Table, at: number): CellKind {
  const cells = rows.map((row) => row[at] ?? '').filter((cell) => cell !== '');
  if (cells.every((cell) => cell === 'true' || cell === 'false')) return 'flag';
  return kindOf(name, { type: cells.every((cell) => /^-?\d+(?:\.\d+)?(?: %)?$/.test(cell)) ? 'Number' : 'String' });
}

function shownAs(kind: CellKind, texts: readonly string[], { wide, now }: ListView): (text: string) => string {
  if (kind === 'time') return wide || now === undefined ? (text) => text : (text) => ageOf(text, now);
  if (kind === 'flag') return flagOf;
  if (kind === 'state') return (text) => stateOf(text).text;
  return wide ? (text) => text : shortIds(texts);
}

const AGES = /^(?:created|created at|age)$/i;

function titleOf(column: string, kind: CellKind, wide: boolean): string {
  if (wide) return column;
  if (kind === 'time' && AGES.test(column)) return 'Age';
  return column.replace(/ (?:At|TS)$/, '').replace(/^UUID$/, 'ID');
}

function firstOf(columns: readonly Column[], { view }: ShownRecord): Column[] {
  const { firstColumns } = view;
  if (firstColumns === undefined) return [...columns];
  return firstColumns.flatMap((name) => columns.filter((column) => column.name === name));
}

/** Narrows texts, then leaves out columns from the right, until a line fits. */
function fitted(columns: readonly Column[], { width, wide }: ListView): Column[] {
  if (wide) {
    for (const column of columns) if (column.kind === 'text') column.width = Math.min(column.width, WIDEST_TEXT);
    return [...columns];
  }
  const kept = [...columns];
  while (!narrow(kept, width, NARROWEST_TEXT) && kept.length > 3) kept.pop();
  if (!narrow(kept, width, NARROWEST_TEXT)) narrow(kept, width, NARROWEST_WHEN_FULL);
  return kept;
}

function narrow(columns: readonly Column[], width: number, floor: number): boolean {
  const room = width - GAP.length * (columns.length - 1);
  let excess = columns.reduce((sum, column) => sum + column.width, 0) - room;
  const texts = columns.filter(({ kind }) => kind === 'text' || kind === 'id');
  const least = (column: Column) => Math.min(column.width, Math.max(floor, column.title.length));
  if (texts.reduce((sum, column) => sum + column.width - least(column), 0) < excess) return false;
  while (excess > 0) {
    const open = texts.filter((column) => column.width > least(column));
    const widest = open.reduce((most, column) => (column.width > most.width ? column : most));
    widest.width -= 1;
    excess -= 1;
  }
  return true;
}

function lineOf(columns: readonly Column[], textOf: (column: Column) => string, view: ListView): string {
  const parts = columns.map((column) => {
    const text = shortened(textOf(column), column, view.measure);
    const space = ' '.repeat(Math.max(0, column.width - view.measure(text)));
    const painted = column.kind === 'state' ? paintedState(text, view) : text;
    return column.kind === 'number' ? space + painted : painted + space;
  });
  return parts.join(GAP).trimEnd();
}

/** The end of an address says more than its beginning, and long ids of one kind differ at the end. */
function shortened(text: string, { width, kind }: Column, measure: Measure): string {
  const endCounts = kind === 'id' || /^\S*\/\S*$/.test(text);
  if (measure(text) <= width || !endCounts || /\s/.test(text)) return cutAtWord(text, width, measure);
  const characters = [...graphemes(text)];
  let room = width - 1;
  let at = characters.length;
  while (at > 0 && measure(characters[at - 1] ?? '') <= room) {
    at -= 1;
    room -= measure(characters[at] ?? '');
  }
  return `…${characters.slice(at).join('')}`;
}

/** Colour stands beside the mark alone: the word reads the same without it. */
function paintedState(text: string, { style }: ListView): string {
  const { mark } = stateOf(withoutMark(text));
  return mark === undefined || !text.startsWith(`${mark.sign} `)
    ? text
    : style[mark.colour](mark.sign) + text.slice(mark.sign.length);
}

function withoutMark(text: string): string {
  return text.replace(/^[^\w\s] /, '');
}

/** A column of a few words tells how many there are of each. */
const MAX_KINDS = 5;

function summaryOf(count: number, title: string, columns: readonly Column[], isShort: boolean): string {
  const state = columns.find(({ kind }) => kind === 'state');
  const counts = new Map<string, number>();
  for (const cell of state?.cells.map(withoutMark) ?? []) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  counts.delete('');
  const kinds =
    counts.size > 1 && counts.size <= MAX_KINDS ? `: ${[...counts].map(([word, n]) => `${n} ${word}`).join(', ')}` : '';
  const rest = isShort ? ` ${HOW_TO_SEE_ALL}` : '';
  return `${count} ${titleInSentence(title, count)}${kinds}.${rest}`;
}
