/** Writes CSV as in RFC 4180, safe to open in a spreadsheet. */
import { WHOLE } from '../output/record.ts';
import { valueAt } from './fields.ts';

/** Characters that begin a formula, including their full-width forms. */
const FORMULA = '=+\\-@\\uff1d\\uff0b\\uff0d\\uff20';
/** Spreadsheets skip white space, quotes and invisible characters in front of a formula. */
const SKIPPED = '\\s"\'`\\u0000-\\u001f\\u007f-\\u00a0\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff';
const DANGEROUS = new RegExp(`^(?=[${SKIPPED}]*[${FORMULA}]|[\\t\\r])`);
const LINES = /(\r\n|\n|\r(?!\n))/;
const QUOTED = /[",\r\n]|^\s|\s$/;

/** Writes one row for each record. @param columns names of fields; the empty name is the record itself */
export function csvRow(record: unknown, columns: readonly string[]): string {
  return line(columns.map((name) => csvCell(valueAt(record, name))));
}

export function csvHeader(columns: readonly string[]): string {
  return line(columns.map((name) => csvCell(name === WHOLE ? 'value' : name)));
}

function line(cells: readonly string[]): string {
  // A single empty cell would look like an empty line, which many readers skip.
  return cells.length === 1 && cells[0] === '' ? '""' : cells.join(',');
}

/** Writes one value: numbers unchanged, strings made safe for a spreadsheet, nested values as compact JSON. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return quoted(guarded(typeof value === 'string' ? value : JSON.stringify(value)));
}

/** Puts an apostrophe before each line that a spreadsheet could evaluate. */
function guarded(text: string): string {
  if (text.startsWith('\r')) return `'${guardedLines(text)}`;
  return guardedLines(text);
}

function guardedLines(text: string): string {
  const parts = text.split(LINES);
  return parts.map((part, at) => (at % 2 === 0 && DANGEROUS.test(part) ? `'${part}` : part)).join('');
}

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
