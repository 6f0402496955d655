/** Chooses the columns of a list and their widths, important ones first. */

import { detectorName } from '../../../features/explain/detector-names.ts';
import type { ShownRecord, Table } from '../../../output/readable.ts';
import { ageOf, type CellKind, kindOf, shortTitle } from '../../../project/printed.ts';
import { barOf, flagOf, isUuid, oneLine, shortIds, stateOf } from './cells.ts';
import { mapInTurns } from './in-turns.ts';
import { plainHeading } from './plain-words.ts';
import { sanitize } from './sanitize.ts';
import { cutBetweenWords, type Page } from './wrap.ts';

/** Between two columns. */
export const GAP = '  ';
/** Indents the further columns of a record below its first ones. */
export const FOLD = '    ';
/** Minimum width of a text column before columns are left out. */
const NARROWEST_TEXT = 14;
const NARROWEST_WHEN_FULL = 8;
/** A line from this width up shows more than a reader needs first. */
const ROOMY = 100;
/** Minimum widths of texts before ids are shown in full, and before further columns are added. */
const TEXT_BESIDE_IDS = 24;
const TEXT_BESIDE_COLUMNS = 36;
/** Room for one text where the line has no end. */
const WIDEST_TEXT = 60;
const MAX_CELL_LENGTH = 1000;

export interface Column {
  readonly name: string;
  readonly title: string;
  readonly kind: CellKind;
  cells: readonly string[];
  /** The ids in full, where `cells` has prefixes. */
  readonly full: readonly string[] | undefined;
  /** Its cells may be cut: texts, and ids that are not UUIDs. */
  readonly isCuttable: boolean;
  width: number;
}

export interface ListView extends Page {
  /** Show all columns, and ids in full. */
  readonly wide: boolean;
  /** A line wider than the page goes on below, at the next column. */
  readonly folds?: boolean | undefined;
  /** For ages; in milliseconds since the epoch. Without it, times stand in full. */
  readonly now: number | undefined;
  /** Names of the arguments of the line. */
  readonly given: readonly string[];
}

/** Appends the columns that the record does not have. */
export function withFurther(table: Table, of: ShownRecord): { table: Table; of: ShownRecord } {
  const { further, columns, rows } = table;
  if (further === undefined) return { table, of };
  const cells = rows.map((row, at) => [...row, ...(further.rows[at] ?? [])]);
  return {
    table: { ...table, columns: [...columns, ...further.columns], rows: cells },
    of: { ...of, fields: [...of.fields, ...further.fields] },
  };
}

export async function columnsOf(table: Table, of: ShownRecord, view: ListView): Promise<Column[]> {
  const columns: Column[] = [];
  for (const [at, column] of table.columns.entries()) {
    const [name, field] = of.fields[at] ?? [column.toLowerCase().replace(/ /g, '_'), undefined];
    const plain = field === undefined ? kindOfRows(name, table, at) : kindOf(name, field);
    const kind = of.view.bars?.includes(name) === true ? 'rate' : plain;
    const texts = await mapInTurns(table.rows, view.signal, (row) =>
      oneLine(sanitize((row[at] ?? '').slice(0, MAX_CELL_LENGTH))),
    );
    const shown = name === DETECTOR ? detectorName : shownAs(kind, texts, view);
    const cells = texts.map(shown);
    const title = plainHeading(view.wide ? column : shortTitle(column, kind));
    const hasIds = texts.some(isUuid);
    const full = hasIds && !view.wide ? texts : undefined;
    const isCuttable = kind === 'text' || (kind === 'id' && !hasIds);
    columns.push(sized({ name, title, kind, cells, full, isCuttable, width: 0 }, view));
  }
  // Leave out empty columns, unless all columns were asked for.
  return columns.filter(({ cells }) => view.wide || cells.some((cell) => cell !== ''));
}

function kindOfRows(name: string, { rows }: Table, at: number): CellKind {
  const cells = rows.map((row) => row[at] ?? '').filter((cell) => cell !== '');
  if (cells.every((cell) => cell === 'true' || cell === 'false')) return 'flag';
  return kindOf(name, { type: cells.every((cell) => /^-?\d+(?:\.\d+)?(?: %)?$/.test(cell)) ? 'Number' : 'String' });
}

function shownAs(kind: CellKind, texts: readonly string[], { wide, now }: ListView): (text: string) => string {
  if (kind === 'time') return wide || now === undefined ? (text) => text : (text) => ageOf(text, now);
  if (kind === 'rate') return barOf;
  if (kind === 'flag') return flagOf;
  if (kind === 'state') return (text) => stateOf(text).text;
  return wide ? (text) => text : shortIds(texts);
}

/** Column of detectors, whose names the service abbreviates. */
const DETECTOR = 'detection_type';

function sized(column: Column, view: ListView): Column {
  column.width = widthOf(column, view);
  return column;
}

export function widthOf({ cells, title }: Column, { measure }: ListView): number {
  return cells.reduce((most, cell) => Math.max(most, measure(cell)), measure(title));
}

/** Splits columns into the first columns of a reader, in their order, and the others. */
function ranked(columns: readonly Column[], { view }: ShownRecord): { first: Column[]; further: Column[] } {
  const { firstColumns } = view;
  if (firstColumns === undefined) return { first: [...columns], further: [] };
  const first = firstColumns.flatMap((name) => columns.filter((column) => column.name === name));
  return { first, further: columns.filter((column) => !first.includes(column)) };
}

/**
 * Chooses columns and their widths for a line. A narrow line cuts texts, then leaves out columns from the right; a wide
 * one has full ids, then further columns, then longer texts.
 */
export function fitted(all: readonly Column[], of: ShownRecord, view: ListView): Column[] {
  const { first, further } = ranked(all, of);
  if (view.wide) {
    return [...first, ...further].map((column) => (column.kind === 'text' ? withoutTails(column, view) : column));
  }
  const kept =
    leastWidth(first, Number.POSITIVE_INFINITY) > view.width ? withoutRepeats(first, view.given) : [...first];
  if (view.width >= ROOMY) grow(kept, further, view);
  // Without a choice of first columns, readable texts come before the last columns.
  const isChosen = of.view.firstColumns !== undefined || view.width < ROOMY;
  const floor = isChosen ? NARROWEST_TEXT : TEXT_BESIDE_IDS;
  while (!narrow(kept, view.width, floor) && kept.length > 3) kept.pop();
  if (!narrow(kept, view.width, NARROWEST_TEXT)) narrow(kept, view.width, NARROWEST_WHEN_FULL);
  return kept;
}

/**
 * Leaves out columns of texts that say nothing new: the text stands in another text of each record, as a target in the
 * names of its scans, or it is the same everywhere because the line asked for it, as with `target=`.
 */
function withoutRepeats(columns: readonly Column[], given: readonly string[]): Column[] {
  const texts = columns.filter(({ kind }) => kind === 'text');
  const asked = given.map(stem);
  const isRepeated = ({ name, cells }: Column) =>
    (asked.includes(stem(name)) && new Set(cells).size === 1) || texts.some((other) => standsIn(cells, other.cells));
  return columns.filter((column) => column.kind !== 'text' || !isRepeated(column));
}

/** The noun of a field or an argument: `target` of `target_uuid`. */
const stem = (name: string) => name.replace(/_(?:uuid|id|name)$/, '');

function standsIn(cells: readonly string[], others: readonly string[]): boolean {
  return cells.every((cell, at) => others[at] !== cell && others[at]?.includes(cell) === true);
}

/** Cuts long texts only between words: a word wider than the column is kept. */
function withoutTails(column: Column, view: ListView): Column {
  const { measure } = view;
  return sized({ ...column, cells: column.cells.map((text) => cutBetweenWords(text, WIDEST_TEXT, measure)) }, view);
}

function grow(kept: Column[], further: readonly Column[], view: ListView): void {
  for (const [at, column] of kept.entries()) {
    const whole = withFullIds(column, view);
    const longer = kept.with(at, whole);
    if (whole === column || leastWidth(longer, TEXT_BESIDE_IDS) > view.width) continue;
    kept[at] = whole;
  }
  for (const column of further) {
    const [whole, short] = [withFullIds(column, view), column];
    const fitting = [whole, short].find((each) => leastWidth([...kept, each], TEXT_BESIDE_COLUMNS) <= view.width);
    if (fitting === undefined) return;
    kept.push(fitting);
  }
}

function withFullIds(column: Column, view: ListView): Column {
  return column.full === undefined ? column : sized({ ...column, cells: column.full, full: undefined }, view);
}

/** The width of a line whose texts are cut to a width. */
function leastWidth(columns: readonly Column[], text: number): number {
  const widths = columns.map(({ isCuttable, width }) => (isCuttable ? Math.min(width, text) : width));
  return widths.reduce((sum, width) => sum + width, GAP.length * (columns.length - 1));
}

function narrow(columns: readonly Column[], width: number, floor: number): boolean {
  const room = width - GAP.length * (columns.length - 1);
  let excess = columns.reduce((sum, column) => sum + column.width, 0) - room;
  const texts = columns.filter(({ isCuttable }) => isCuttable);
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

/** Splits columns into lines that fit: a terminal would break a longer line inside a word. */
export function foldedAt(columns: readonly Column[], width: number): Column[][] {
  const parts: Column[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const column of columns) {
    if (used + GAP.length + column.width > width) {
      parts.push([]);
      used = parts.length === 1 ? -GAP.length : FOLD.length - GAP.length;
    }
    parts.at(-1)?.push(column);
    used += GAP.length + column.width;
  }
  return parts;
}
