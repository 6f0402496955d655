/** Reads one member from each JSON object of a text with one object per line. */
import { UsageError } from '../../core/errors.ts';
import { asText, type JsonObject } from '../../core/json.ts';
import { CsvReader, type CsvRow } from './csv.ts';
import { jsonObjectIn } from './lines.ts';
import { type ColumnOptions, columnLabel, type Head, type Item } from './table.ts';

type Names = Pick<ColumnOptions, 'name' | 'noun' | 'keep' | 'keptBy' | 'maxBytes' | 'mayBeBlank'>;

/** Maximum length of a line, less than the maximum string length of any engine. */
const LONGEST = 200_000_000;

/** An escaped byte takes six characters, and other members need room as well. */
const lengthOf = (maxBytes: number) => Math.min(8 * maxBytes, LONGEST);

/** Creates a reader of lines. @param maxBytes of an item */
export function jsonLines(maxBytes: number): CsvReader {
  return new CsvReader({ maxCellLength: lengthOf(maxBytes), lines: true });
}

/**
 * Checks the first record, so that a wrong file or a misspelt column is found before any work.
 * @throws UsageError that names the record's line
 */
export function checkRecords({ text, isComplete }: Head, options: Names): void {
  const reader = jsonLines(options.maxBytes);
  const rows = reader.push(text);
  const first = [...rows, ...(isComplete ? reader.end() : [])].find(({ cells }) => cells.join('').trim() !== '');
  if (first === undefined) return;
  const { problem } = recordItem(options)(first) ?? {};
  if (problem !== undefined) {
    throw new UsageError(problem, {
      hint: `Set prompt_column to the member of the ${options.noun}s, or input_format to csv or lines.`,
    });
  }
  const record = recordOf(first);
  const missing = options.keep?.find((name) => record !== undefined && keyOf(record, name) === undefined);
  if (missing !== undefined) {
    throw new UsageError(`The record in line ${first.line} has no member ${columnLabel(missing)}.`, {
      argument: options.keptBy?.(missing) ?? 'keep_columns',
    });
  }
}

/** Creates a function from a line to its item. A line without the member becomes an item with a problem. */
export function recordItem({
  name,
  noun,
  keep = [],
  maxBytes,
  mayBeBlank = false,
}: Names): (row: CsvRow) => Item | undefined {
  return (row) => {
    const { cells, line } = row;
    const source = cells.join('');
    if (source.trim() === '') return undefined;
    const record = recordOf(row);
    if (record === undefined) {
      const problem =
        source.length > lengthOf(maxBytes)
          ? `Line ${line} has more than ${lengthOf(maxBytes)} characters.`
          : `Line ${line} is not a JSON object with the member ${columnLabel(name)} and each member once.`;
      return { text: source, line, problem };
    }
    const member = record[keyOf(record, name) ?? ''];
    const text = member === null && mayBeBlank ? '' : member;
    const columns = Object.fromEntries(keep.map((each) => [each, cellOf(record[keyOf(record, each) ?? ''])]));
    const item = { line, ...(keep.length === 0 ? {} : { columns }) };
    if (typeof text !== 'string')
      return { ...item, text: source, problem: `The record in line ${line} has no text named ${columnLabel(name)}.` };
    return text.trim() === '' && !mayBeBlank
      ? { ...item, text, problem: `The record in line ${line} has no ${noun}.` }
      : { ...item, text };
  };
}

function recordOf({ cells }: CsvRow): JsonObject | undefined {
  return jsonObjectIn(cells.join(''));
}

/** Finds a member by the rules for a table's columns; an exact match comes first. */
function keyOf(record: JsonObject, name: string): string | undefined {
  const keys = Object.keys(record);
  const plain = (key: string) => key.trim().toLowerCase();
  const [found, other] = keys.filter((key) => plain(key) === plain(name));
  return keys.includes(name) ? name : other === undefined ? found : undefined;
}

function cellOf(value: unknown): string {
  return value === undefined || value === null ? '' : asText(value);
}
