/** Reads the JSONL of a bulk scan, and checks that it is the complete file of a finished run. */
import { isBulkEnd, rowDigest } from '../../bulk/end.ts';
import { isObject, type JsonObject } from '../../engine/json.ts';
import type { TextReader } from '../../engine/ports.ts';
import { rowRanges } from './row-ranges.ts';

export interface BulkFile {
  /** Number of rows, repeated ones included. */
  readonly rows: number;
  /** Problems of the file as a whole. */
  readonly problems: readonly string[];
  readonly simulated: boolean;
}

/** Reads a file. @param onRow called for each row, with its line number */
export async function readBulkFile(
  reader: TextReader,
  onRow: (row: JsonObject, line: number) => void,
): Promise<BulkFile> {
  const check = checkRows();
  // The pieces of a line are joined once: to search them again with each piece would take quadratic time.
  let rest: string[] = [];
  let line = 0;
  const readLine = (text: string) => {
    line += 1;
    if (text.trim() === '') return;
    const value = valueIn(text);
    if (value !== undefined && !isBulkEnd(value)) onRow(value, line);
    check.add(value, line);
  };
  for (let piece = await reader.next(); piece !== undefined; piece = await reader.next()) {
    const [first = '', ...further] = piece.split('\n');
    rest.push(first);
    for (const text of further) {
      readLine(rest.join(''));
      rest = [text];
    }
  }
  readLine(rest.join(''));
  return check.result();
}

function checkRows() {
  const [broken, missing, again, trailing] = [rowRanges(), rowRanges(), rowRanges(), rowRanges()];
  const digest = rowDigest();
  let [rows, next] = [0, 1];
  let end: JsonObject | undefined;

  const addRow = (row: JsonObject, line: number) => {
    rows += 1;
    digest.add(JSON.stringify(row));
    const number = row['row'];
    if (typeof number !== 'number' || !Number.isInteger(number) || number < 1) return broken.add(line);
    if (number < next) return again.add(number);
    if (number > next) missing.add(next, number - 1);
    next = number + 1;
  };

  const result = (): BulkFile => {
    const expected = Number(end?.['rows']);
    if (end !== undefined && expected >= next) missing.add(next, expected);
    const found = [
      broken.count() > 0 ? `${broken.text('line')}: not a complete row` : undefined,
      missing.count() > 0 ? `missing: ${missing.text()}` : undefined,
      again.count() > 0 ? `repeated, or not in order: ${again.text()}` : undefined,
      trailing.count() > 0 ? `after the end of a run: ${trailing.text('line')}` : undefined,
      end === undefined ? 'it does not end with the record of a finished run' : undefined,
    ].filter((problem) => problem !== undefined);
    const isAltered = found.length === 0 && (expected !== rows || end?.['digest'] !== digest.text());
    return {
      rows,
      problems: isAltered ? ['its rows are not those that the run wrote'] : found,
      simulated: end?.['simulated'] === true,
    };
  };

  return {
    add: (value: JsonObject | undefined, line: number) => {
      if (end !== undefined) trailing.add(line);
      if (value === undefined) broken.add(line);
      else if (isBulkEnd(value)) end ??= value;
      else addRow(value, line);
    },
    result,
  };
}

function valueIn(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
