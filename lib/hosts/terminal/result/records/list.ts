/** Renders a list of records: one line for each record at every width, important columns first, ids shortened. */

import { grouped, titleInSentence } from '../../../../core/text/numbers.ts';
import type { Command } from '../../../../runtime/engine/command.ts';
import { tableOnly } from '../../../../runtime/engine/list-reader.ts';
import { pageNote, secretNote } from '../../../../runtime/engine/present.ts';
import { detectorName } from '../../../../runtime/output/detectors.ts';
import {
  cell,
  type FurtherColumns,
  heading,
  type Readable,
  type ShownRecord,
  type Table,
} from '../../../../runtime/output/readable.ts';
import type { RecordType } from '../../../../runtime/output/record.ts';
import type { Result } from '../../../../runtime/output/result.ts';
import {
  ageOf,
  type CellKind,
  kindOf,
  severityRank,
  shortTitle,
  withoutMark,
} from '../../../../runtime/select/printed.ts';
import { isUuid, shortIds } from '../../../../runtime/select/short-ids.ts';
import { barOf, flagCell, oneLineCell, paintedMark, stateOf } from '../../ui/cells.ts';
import { mapInTurns } from '../../ui/in-turns.ts';
import type { Measure } from '../../ui/measure.ts';
import { plainHeading, sanitize } from '../../ui/sanitize.ts';
import { cutAtStart, cutAtWord } from '../../ui/wrap.ts';
import { type Column, fitted, GAP, type ListView, sized, widthOf } from './fit-columns.ts';

/** Below this width, the fields of a record are stacked. */
export const NARROWEST_LIST = 60;

export interface RenderedList {
  readonly lines: readonly string[];
  /** Number of records by kind, and how to see the others. */
  readonly summary: string;
  /** Whether columns are left out, or texts or ids are cut. */
  readonly isShort: boolean;
}

export const HOW_TO_SEE_ALL = 'Full ids and all columns: --wide';
/** The same, shortened for a narrow line. */
const HOW_IN_SHORT = 'All: --wide';
/** Indents the other columns of a record below its first columns. */
const FOLD = '    ';

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

/** Splits columns into lines that fit, because a terminal would break a longer line inside a word. */
function foldedAt(columns: readonly Column[], width: number): Column[][] {
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

/** The end of an address is more informative than its beginning, and long ids of one kind differ at the end. */
function shortened(text: string, { width, kind }: Column, measure: Measure): string {
  const endCounts = kind === 'id' || /^\S*\/\S*$/.test(text);
  if (measure(text) <= width || !endCounts || /\s/.test(text)) return cutAtWord(text, width, measure);
  return cutAtStart(text, width, measure);
}

/** Maximum number of different words that the summary counts. */
const MAX_KINDS = 5;

/**
 * @param title `Attacks of the Red-Team Scan` is shortened to `48 attacks`, because the full title is already above the
 * list
 */
function summaryOf(count: number, title: string, columns: readonly Column[], isShort: boolean, view: ListView): string {
  const [noun = ''] = titleInSentence(title, count).split(' of ');
  const counted = `${grouped(count)} ${noun}${kindsOf(columns)}.`;
  if (!isShort) return counted;
  const whole = `${counted} ${HOW_TO_SEE_ALL}`;
  return view.measure(whole) <= view.width ? whole : `${counted} ${HOW_IN_SHORT}`;
}

/** Counts the values of the first state column, severities from critical to low. */
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

const MAX_CELL_LENGTH = 1000;

/** Appends the columns that the record declaration lacks. */
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
      oneLineCell(sanitize((row[at] ?? '').slice(0, MAX_CELL_LENGTH))),
    );
    const shown = DETECTORS.includes(name) ? detectorNames : shownAs(kind, texts, view);
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
  if (kind === 'flag') return flagCell;
  if (kind === 'state') return (text) => stateOf(text).text;
  return wide ? (text) => text : shortIds(texts);
}

/** Column of detectors, whose names the service abbreviates. */
const DETECTORS: readonly string[] = ['detection_type', 'detected_by'];

function detectorNames(cell: string): string {
  return cell.split(', ').map(detectorName).join(', ');
}

/** Returns the human-readable part of a result as a terminal shows it. */
export function readableInTerminal(result: Result, { output }: Pick<Command, 'output'>): Readable {
  const { record } = output;
  const { raw } = result;
  const readable = withBriefSecrets(result.readable, record);
  const [table, ...others] = readable.tables;
  if (!output.many || table?.of?.many !== true) return readable;
  const columns = furtherColumns(record, raw, table.rows.length);
  const first = columns === undefined ? table : { ...table, further: columns };
  // The list's summary already counts a full page.
  const counts = [pageNote(0, 1, table.rows.length), pageNote(0, 1, undefined)];
  return { ...readable, tables: [first, ...others], notes: readable.notes.filter((note) => !counts.includes(note)) };
}

function furtherColumns(record: RecordType, raw: unknown, count: number): FurtherColumns | undefined {
  const { further } = record.view;
  if (further === undefined || !Array.isArray(raw) || raw.length !== count) return undefined;
  const named = Object.entries(further);
  const rows = raw.map((item: unknown) => {
    const value = tableOnly(record, item);
    return named.map(([name]) => cell(value[name]));
  });
  return { fields: named, columns: named.map(([name, field]) => field.heading ?? heading(name)), rows };
}

const SECRETS: Readonly<Record<string, string>> = {
  'hidden here': 'hidden here; shown by --output json.',
  'shown here without its secrets': 'shown without its secrets; all of it with --output json.',
};

/** Shortens notes about hidden values, because a context path is useless after a one-shot command. */
function withBriefSecrets(readable: Readable, record: RecordType): Readable {
  const forms = new Map<string, string>();
  for (const [name, { secret }] of Object.entries(record.fields)) {
    if (secret !== true) continue;
    for (const [state, brief] of Object.entries(SECRETS))
      forms.set(secretNote(name, record, state), `${name}: ${brief}`);
  }
  return forms.size === 0 ? readable : { ...readable, notes: readable.notes.map((note) => forms.get(note) ?? note) };
}
