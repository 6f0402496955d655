/**
 * The human-readable part of a result, before it is rendered as markdown or as aligned columns.
 * Cells are plain, unescaped text; each renderer sanitizes them.
 */

import type { Field, View } from './record.ts';

export interface Table {
  /** Heading above the table; absent for the main table. */
  title?: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** The record that the table shows: one field per column, or one field per row. */
  of?: ShownRecord;
  /** Additional columns, shown only for a list in a terminal. */
  further?: FurtherColumns;
}

/** Additional columns, which the record does not have. */
export interface FurtherColumns {
  readonly fields: ShownRecord['fields'];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The fields that a table shows, for renderers that treat their kinds differently. */
export interface ShownRecord {
  readonly many: boolean;
  /** Empty for rows within a record, because their columns need no title. */
  readonly fields: readonly (readonly [name: string, field: Field])[];
  readonly view: View;
}

export interface Readable {
  title: string;
  /** The response came from the simulated service, not from a tenant. */
  simulated: boolean;
  /** A table of one row at the start of the markdown; a terminal shows its own first line instead. */
  summary?: Table;
  tables: readonly Table[];
  /** Sentences below the tables: truncation, next steps. */
  notes: readonly string[];
}

/** Creates a table of objects; columns default to the members of the first row. */
export function tableOf(
  rows: readonly Readonly<Record<string, unknown>>[],
  options: { title?: string; columns?: readonly string[] } = {},
): Table {
  const columns = options.columns ?? Object.keys(rows[0] ?? {});
  const table = { columns: columns.map(heading), rows: rows.map((row) => columns.map((name) => cell(row[name]))) };
  return options.title === undefined ? table : { ...table, title: options.title };
}

/**
 * Creates a table of objects, which a terminal shows one per line. @param first the most useful columns; default: all
 */
export function listOf(
  rows: readonly Readonly<Record<string, unknown>>[],
  options: { title?: string; columns: readonly string[] },
  first?: readonly string[],
): Table {
  const view = first === undefined ? {} : { firstColumns: first };
  return { ...tableOf(rows, options), of: { many: true, fields: [], view } };
}

/** Creates a table of two columns from one record. */
export function verticalTable(pairs: readonly (readonly [string, unknown])[]): Table {
  return { columns: ['Field', 'Value'], rows: pairs.map(([name, value]) => [name, cell(value)]) };
}

const UPPER = new Set(['id', 'uuid', 'url', 'dlp', 'tsg', 'csp', 'ai', 'ip', 'asr', 'api', 'ts', 'arn']);

/** Converts a field's name to a heading: `last_modified_ts` becomes `Last Modified TS`. */
export function heading(name: string): string {
  const words = name.split(/[_.\s-]+/).filter((word) => word !== '');
  return words
    .map((word) => (UPPER.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join(' ');
}

/** Converts a value to the text of a cell: one line per item or member, deeper values as compact JSON. */
export function cell(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((item) => (isScalar(item) ? cell(item) : line(item))).join('\n');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, member]) => `${name}: ${isScalar(member) ? cell(member) : JSON.stringify(member)}`)
      .join('\n');
  }
  return String(value);
}

function line(value: unknown): string {
  return cell(value).replace(/\n/g, ', ');
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
