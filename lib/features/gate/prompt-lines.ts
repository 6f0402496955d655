/** Locates the prompts of a bulk scan in the file that they came from. */
import { formatOf, openColumn } from '../../bulk/column.ts';
import { UsageError } from '../../core/errors.ts';
import type { TextReader } from '../../core/ports.ts';
import { plural } from '../../text/numbers.ts';

/** The file of the prompts, as the user names it. */
export interface PromptFile {
  readonly reader: TextReader;
  readonly name: string;
  /** Header of the column with the prompts. */
  readonly column: string;
}

/** The lines of the prompts, by row. */
export interface PromptLines {
  readonly uri: string;
  /** @param row counted from 1 */
  lineOf(row: number): number;
  /** @throws UsageError if the scan had another number of prompts: its lines would be wrong */
  check(prompts: number): void;
}

/** Only lines are read, so no prompt is too long. */
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
