/**
 * Reads the files of a bulk gate: the JSONL of a scan, checked to be from a finished run, and the file of its prompts.
 */

import { UsageError } from '../../core/errors.ts';
import { type JsonObject, objectOf } from '../../core/json.ts';
import type { TextReader } from '../../core/ports.ts';
import { anyOf, flagOf, numberOf, object, stringOf, textsOf } from '../../core/received.ts';
import { grouped, plural } from '../../core/text/numbers.ts';
import { formatOf, openColumn } from '../../runtime/bulk/column.ts';
import { isBulkEnd, rowDigest } from '../../runtime/bulk/end.ts';
import { jsonObjectIn } from '../../runtime/bulk/lines.ts';
import { type Reading, readRow } from '../../runtime/output/verdict.ts';

const readMembers = object({
  row: numberOf,
  category: anyOf,
  prompt: anyOf,
  scan_id: anyOf,
  scanned: textsOf,
  columns: objectOf,
});

export interface BulkRow extends ReturnType<typeof readMembers> {
  readonly reading: Reading;
}

const readEnd = object({ rows: numberOf, digest: stringOf, profile: stringOf, simulated: flagOf });

interface BulkFile {
  /** Number of rows, including repeated rows. */
  readonly rows: number;
  readonly problems: readonly string[];
  readonly simulated: boolean;
  /** Whether the file has lines, but no scan results: then it is a file of prompts. */
  readonly isUnscanned: boolean;
  /** Security profile of the run. */
  readonly profile: string | undefined;
  /** Digest of the rows as read: rows contain scan ids, so two runs never have the same digest. */
  readonly digest: string;
}

/** Reads a file. @param onRow called for each row, with its line number */
export async function readBulkFile(reader: TextReader, onRow: (row: BulkRow, line: number) => void): Promise<BulkFile> {
  const check = new RowCheck();
  // Join the pieces of a line only once; searching them again with each piece would take quadratic time.
  let rest: string[] = [];
  let line = 0;
  const readLine = (text: string) => {
    line += 1;
    if (text.trim() === '') return;
    const row = check.add(jsonObjectIn(text), line);
    if (row !== undefined) onRow(row, line);
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

/** Checks the numbers of the rows, and compares them with the record at the end. */
class RowCheck {
  readonly #broken = new RowRanges();
  readonly #missing = new RowRanges();
  readonly #again = new RowRanges();
  readonly #trailing = new RowRanges();
  readonly #digest = rowDigest();
  #rows = 0;
  #lines = 0;
  #isScanned = false;
  #next = 1;
  #end: ReturnType<typeof readEnd> | undefined;

  /** Checks the value of a line. @returns the row, unless the line has none */
  add(value: JsonObject | undefined, line: number): BulkRow | undefined {
    this.#lines += 1;
    if (this.#end !== undefined) this.#trailing.add(line);
    if (value === undefined) {
      this.#broken.add(line);
      return undefined;
    }
    if (isBulkEnd(value)) {
      this.#end ??= readEnd(value);
      return undefined;
    }
    const row = { ...readMembers(value), reading: readRow(value) };
    this.#rows += 1;
    this.#isScanned ||= row.row !== undefined || row.scan_id !== undefined || row.reading.decision !== 'none';
    this.#digest.add(JSON.stringify(value));
    this.#checkNumber(row.row, line);
    return row;
  }

  #checkNumber(number: number | undefined, line: number): void {
    if (number === undefined || !Number.isInteger(number) || number < 1) this.#broken.add(line);
    else if (number < this.#next) this.#again.add(number);
    else {
      if (number > this.#next) this.#missing.add(this.#next, number - 1);
      this.#next = number + 1;
    }
  }

  result(): BulkFile {
    const [rows, end] = [this.#rows, this.#end];
    if (end?.rows !== undefined && end.rows >= this.#next) this.#missing.add(this.#next, end.rows);
    const found = [
      this.#broken.describe((lines) => `${lines}: not a complete row`, 'line'),
      this.#missing.describe((missing) => `missing: ${missing}`),
      this.#again.describe((again) => `repeated, or not in order: ${again}`),
      this.#trailing.describe((lines) => `after the end of a run: ${lines}`, 'line'),
      end === undefined ? 'it does not end with the record of a finished run' : undefined,
    ].filter((problem) => problem !== undefined);
    const digest = this.#digest.text();
    const isAltered = found.length === 0 && (end?.rows !== rows || end.digest !== digest);
    return {
      rows,
      problems: isAltered ? ['its rows differ from the rows that the run wrote'] : found,
      simulated: end?.simulated === true,
      isUnscanned: this.#lines > 0 && !this.#isScanned && end === undefined,
      profile: end?.profile,
      digest,
    };
  }
}

const MAX_SHOWN = 10;

export class RowRanges {
  readonly #shown: [number, number][] = [];
  #count = 0;
  #beyond = 0;

  /** Adds a row or a range. @param last end of the range. Default: `first` */
  add(first: number, last: number = first): void {
    const before = this.#shown.at(-1);
    this.#count += last - first + 1;
    if (this.#beyond === 0 && before !== undefined && before[1] + 1 === first) before[1] = last;
    else if (this.#shown.length < MAX_SHOWN) this.#shown.push([first, last]);
    else this.#beyond += last - first + 1;
  }

  /**
   * Describes the ranges, such as `rows 3-5, 9`; undefined without a range.
   * @param sentence writes a sentence about the ranges
   */
  describe(sentence: (ranges: string) => string, noun = 'row'): string | undefined {
    if (this.#count === 0) return undefined;
    const ranges = this.#shown.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
    const more = this.#beyond === 0 ? '' : `, and ${grouped(this.#beyond)} more`;
    return sentence(`${noun}${this.#count === 1 ? '' : 's'} ${ranges.join(', ')}${more}`);
  }
}

/** The file of the prompts, as the user typed it. */
export interface PromptFile {
  readonly reader: TextReader;
  readonly name: string;
  /** Header of the prompt column. */
  readonly column: string;
}

/** The lines of the prompts, by row. */
export interface PromptLines {
  readonly uri: string;
  /** @param row counted from 1 */
  lineOf(row: number): number;
  /** @throws UsageError if the scan had a different number of prompts: the line numbers would be wrong */
  check(prompts: number): void;
}

/** Only line numbers are used, so no prompt is too long. */
const MAX_BYTES = 100_000_000;

export async function promptLines({ reader, name, column: header }: PromptFile): Promise<PromptLines> {
  const column = await openColumn(reader, {
    name: header,
    noun: 'prompt',
    maxBytes: MAX_BYTES,
    format: formatOf(name),
  });
  const lines: number[] = [];
  try {
    for (let items = await column.next(); items !== undefined; items = await column.next()) {
      for (const { line } of items) lines.push(line);
    }
  } finally {
    await column.close();
  }
  return {
    uri: name,
    lineOf: (row) => lines[row - 1] ?? 1,
    check: (prompts) => {
      if (prompts === lines.length) return;
      throw new UsageError(`${name} has ${plural(lines.length, 'prompt')}, and the scan had ${prompts}.`, {
        hint: 'Name the file that was scanned with --csv.',
      });
    },
  };
}
