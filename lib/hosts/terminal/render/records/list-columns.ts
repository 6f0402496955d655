/** Reads the columns of a list from its table, and splits them into lines. */

import { detectorName } from '../../../../features/explain/detector-names.ts';
import type { ShownRecord, Table } from '../../../../output/readable.ts';
import { ageOf, type CellKind, kindOf, shortTitle } from '../../../../project/printed.ts';
import { barOf, flagOf, isUuid, oneLine, shortIds, stateOf } from '../cells.ts';
import { mapInTurns } from '../in-turns.ts';
import { plainHeading } from '../plain-words.ts';
import { sanitize } from '../sanitize.ts';
import { type Column, GAP, type ListView, sized } from './fit-columns.ts';

/** Indents the further columns of a record below its first ones. */
export const FOLD = '    ';
const MAX_CELL_LENGTH = 1000;

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
  if (kind === 'flag') return flagOf;
  if (kind === 'state') return (text) => stateOf(text).text;
  return wide ? (text) => text : shortIds(texts);
}

/** Column of detectors, whose names the service abbreviates. */
const DETECTORS: readonly string[] = ['detection_type', 'detected_by'];

function detectorNames(cell: string): string {
  return cell.split(', ').map(detectorName).join(', ');
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
