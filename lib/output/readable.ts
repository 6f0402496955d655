/**
 * What a person reads of a result, before it is rendered: markdown for the platform, aligned columns for a terminal.
 * Cells are plain text, unescaped; each renderer makes them harmless in its own way.
 */

export interface Table {
  /** Heading above the table; absent for the main one. */
  title?: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

export interface Readable {
  title: string;
  /** The answer came from the simulated service, not from a tenant. */
  simulated: boolean;
  tables: readonly Table[];
  /** Sentences below the tables: what was cut, what to do next. */
  notes: readonly string[];
}

/** Rows of objects as a table; columns default to the members of the first row. */
export function tableOf(
  rows: readonly Readonly<Record<string, unknown>>[],
  options: { title?: string; columns?: readonly string[] } = {},
): Table {
  const columns = options.columns ?? Object.keys(rows[0] ?? {});
  const table = { columns: columns.map(heading), rows: rows.map((row) => columns.map((name) => cell(row[name]))) };
  return options.title === undefined ? table : { ...table, title: options.title };
}

/** One record as a table of two columns. */
export function verticalTable(pairs: readonly (readonly [string, unknown])[]): Table {
  return { columns: ['Field', 'Value'], rows: pairs.map(([name, value]) => [name, cell(value)]) };
}

const UPPER = new Set(['id', 'uuid', 'url', 'dlp', 'tsg', 'csp', 'ai', 'ip', 'asr', 'api', 'ts', 'arn']);

/** A field's name in words: `last_modified_ts` becomes `Last Modified TS`. */
export function heading(name: string): string {
  const words = name.split(/[_.\s-]+/).filter((word) => word !== '');
  return words
    .map((word) => (UPPER.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join(' ');
}

/** Any value as the text of a cell: lists by line, objects as `name: value` lines, deeper things as compact JSON. */
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
