/** Writes what is seen as CSV, JSON or markdown. */
import { markdown } from '../../lib/runtime/output/markdown.ts';
import { tableOf } from '../../lib/runtime/output/readable.ts';
import { csvHeader, csvRow } from '../../lib/runtime/select/csv.ts';
import { memberAt } from '../../lib/runtime/select/result-tables.ts';
import type { EntryHead, ResultTable, TableColumn } from '../types.ts';
import { textOf } from './cells.ts';

export const FORMATS = ['CSV', 'JSON', 'markdown'] as const;
export type Format = (typeof FORMATS)[number];

export interface Written {
  readonly text: string;
  readonly type: string;
  readonly ending: string;
}

/** Writes rows with these columns. CSV is safe to open in a spreadsheet, markdown has no active links. */
export function written(
  format: Format,
  title: string,
  columns: readonly TableColumn[],
  rows: readonly unknown[],
): Written {
  const names = columns.map(({ name }) => name);
  if (format === 'CSV') {
    const lines = [csvHeader(names), ...rows.map((row) => csvRow(row, names))];
    return { text: `${lines.join('\r\n')}\r\n`, type: 'text/csv', ending: 'csv' };
  }
  const values = rows.map((row) =>
    names.includes('') ? row : Object.fromEntries(names.map((name) => [name, memberAt(row, name) ?? null])),
  );
  if (format === 'JSON')
    return { text: `${JSON.stringify(values, null, 2)}\n`, type: 'application/json', ending: 'json' };
  const cells = rows.map((row) =>
    Object.fromEntries(names.map((name) => [name || 'value', textOf(memberAt(row, name))])),
  );
  const table = tableOf(cells, { columns: names.map((name) => name || 'value') });
  const text = markdown({ title, simulated: false, tables: [table], notes: [] });
  return { text, type: 'text/markdown', ending: 'md' };
}

const HEAD_FIELDS = ['number', 'time', 'line', 'state', 'verdict', 'summary', 'count', 'ms', 'starred'] as const;

export function writtenHeads(format: Format, heads: readonly EntryHead[]): Written {
  const columns = HEAD_FIELDS.map((name): TableColumn => ({ name, title: name, kind: 'text' }));
  return written(format, 'Entries', columns, heads);
}

export function fileName({ path }: Pick<ResultTable, 'path'>, number: number): string {
  return [`entry-${number}`, path.replace(/[^A-Za-z0-9.-]+/g, '-')].filter((part) => part !== '').join('-');
}
