/** Chooses the columns of a list, and their widths, for the width of a line. */
import type { ShownRecord } from '../../../../runtime/output/readable.ts';
import type { CellKind } from '../../../../runtime/select/printed.ts';
import { cutBetweenWords, type Page } from '../../ui/wrap.ts';

/** Between two columns. */
export const GAP = '  ';
/** Minimum width of a text column before columns are left out. */
const NARROWEST_TEXT = 14;
const NARROWEST_WHEN_FULL = 8;
/** From this width, a line also shows columns of secondary importance. */
const ROOMY = 100;
/** Minimum widths of text columns before ids are shown in full, and before more columns are added. */
const TEXT_BESIDE_IDS = 24;
const TEXT_BESIDE_COLUMNS = 36;
/** A name keeps at least this width before a text column joins this many other columns. */
const [READABLE_NAME, COLUMNS_BESIDE_TEXT] = [20, 5];
/** Width of a text column if the line has no width limit. */
const WIDEST_TEXT = 60;

/** Name of the column with commands, which users copy as a whole. */
const COMMAND = 'command';

export interface Column {
  readonly name: string;
  readonly title: string;
  readonly kind: CellKind;
  cells: readonly string[];
  /** The full ids, if `cells` holds prefixes. */
  readonly full: readonly string[] | undefined;
  /** Whether its cells may be cut: texts, and ids that are not UUIDs. */
  readonly isCuttable: boolean;
  width: number;
}

export interface ListView extends Page {
  /** Show all columns, and ids in full. */
  readonly wide: boolean;
  /** Continue a line wider than the page on the next line, at the next column. */
  readonly folds?: boolean | undefined;
  /** Current time in milliseconds since the epoch, to compute ages. Without it, times are shown in full. */
  readonly now: number | undefined;
}

/** Sets the required width of a column. */
export function sized(column: Column, view: ListView): Column {
  column.width = widthOf(column, view);
  return column;
}

/** Measures the required width of a column. */
export function widthOf({ cells, title }: Column, { measure }: ListView): number {
  return cells.reduce((most, cell) => Math.max(most, measure(cell)), measure(title));
}

/** Splits columns into the most important columns, in order, and the others. */
function ranked(columns: readonly Column[], { view }: ShownRecord): { first: Column[]; further: Column[] } {
  const { firstColumns } = view;
  if (firstColumns === undefined) return { first: [...columns], further: [] };
  const first = firstColumns.flatMap((name) => columns.filter((column) => column.name === name));
  return { first, further: columns.filter((column) => !first.includes(column)) };
}

/**
 * Chooses columns and their widths for a line. A narrow line cuts texts, then leaves out columns from the right; a wide
 * line has full ids, then more columns, then longer texts.
 */
export function fitted(all: readonly Column[], of: ShownRecord, view: ListView): Column[] {
  const { first, further } = ranked(all, of);
  if (view.wide) {
    const isCut = ({ kind, name }: Column) => kind === 'text' && name !== COMMAND;
    return [...first, ...further].map((column) => (isCut(column) ? withoutTails(column, view) : column));
  }
  const kept = leastWidth(first, Number.POSITIVE_INFINITY) > view.width ? withoutRepeats(first) : [...first];
  if (view.width >= ROOMY) grow(kept, further, view);
  // If no columns are marked as important, keep texts readable before adding the last columns.
  const isChosen = of.view.firstColumns !== undefined || view.width < ROOMY;
  const floor = isChosen ? NARROWEST_TEXT : TEXT_BESIDE_IDS;
  while (kept.length > 3 && !isReadable(kept, view.width, floor)) kept.pop();
  narrow(kept, view.width, floor);
  if (narrow(kept, view.width, NARROWEST_TEXT) || narrow(kept, view.width, NARROWEST_WHEN_FULL)) return kept;
  // Long states are sentences: cut them like texts.
  const cuttable = kept.map((column) => ({ ...column, isCuttable: true }));
  narrow(cuttable, view.width, NARROWEST_WHEN_FULL);
  return cuttable;
}

/**
 * Reports whether columns fit, and whether a last text next to many columns leaves enough space for the first text, a
 * name.
 */
function isReadable(columns: readonly Column[], width: number, floor: number): boolean {
  const fitting = columns.map((column) => ({ ...column }));
  if (!narrow(fitting, width, floor)) return false;
  const at = columns.findIndex(({ kind }) => kind === 'text');
  const isBesideText = columns.length > COLUMNS_BESIDE_TEXT && columns.at(-1)?.isCuttable === true;
  if (!isBesideText || at === columns.length - 1) return true;
  return (fitting[at]?.width ?? 0) >= Math.min(columns[at]?.width ?? 0, READABLE_NAME);
}

/** Leaves out text columns whose value is part of another text column in every record, such as a target in its scans' names. */
function withoutRepeats(columns: readonly Column[]): Column[] {
  const texts = columns.filter(({ kind }) => kind === 'text');
  const standsIn = ({ cells }: Column) =>
    texts.some((other) => cells.every((cell, at) => other.cells[at] !== cell && other.cells[at]?.includes(cell)));
  return columns.filter((column) => column.kind !== 'text' || !standsIn(column));
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

/** Returns the width of a line if its text columns are cut to this width. */
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
    const long = texts.filter((column) => column.width > least(column));
    const ids = long.filter(({ kind }) => kind === 'id');
    const open = ids.length > 0 ? ids : long;
    const widest = open.reduce((most, column) => (column.width > most.width ? column : most));
    widest.width -= 1;
    excess -= 1;
  }
  return true;
}
