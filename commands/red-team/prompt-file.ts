/** Checks the CSV of an upload before it is sent. */
import { CsvReader, type CsvRow } from '../../lib/runtime/bulk/csv.ts';
import { columnsNamed } from '../../lib/runtime/bulk/table.ts';
import { type FileEntry, type Files, type TextReader, UsageError } from '../../lib/runtime/engine/declare.ts';

/** Number of characters of a cell to check. */
const CELL = 1000;

/** Maximum length of a header, in characters; longer lines are binary data. */
const HEADER = 65_536;

/**
 * Finds the file, and checks its header and first row. The service checks the other rows. @returns the file to send,
 * with a .csv name, because not every host knows the name
 * @throws UsageError if there is no such file, it is not CSV with a column `prompt`, or it has no rows
 */
export async function promptFile(files: Files, entry: string): Promise<FileEntry> {
  const file = await files.find(entry);
  const problem = file.size === 0 ? EMPTY : await problemOf(await files.read(file));
  if (problem === undefined) return /\.csv$/i.test(file.name) ? file : { ...file, name: `${file.name}.csv` };
  throw new UsageError(`The file ${file.name} ${problem}.`, {
    hint: 'Give a CSV file whose first row names the columns, separated by commas: prompt, optionally goal, and the properties of the prompt set. !aisec-redteam-prompt-sets-download makes a template.',
    argument: 'entryID',
  });
}

const EMPTY = 'is empty';
const NO_HEADER = 'has no column named prompt';

async function problemOf(reader: TextReader): Promise<string | undefined> {
  const csv = new CsvReader({ maxCellLength: CELL });
  let rows: readonly CsvRow[] = [];
  let seen = 0;
  try {
    for (let piece = await reader.next(); ; piece = await reader.next()) {
      rows = rows.concat(piece === undefined ? csv.end() : csv.push(piece));
      seen += piece?.length ?? 0;
      const [header, first] = rows;
      if (header === undefined ? seen > HEADER : columnsNamed(header, 'prompt').length === 0) return NO_HEADER;
      if (first !== undefined)
        return first.quotes === 'open' ? `has a quote in line ${first.line} that is never closed` : undefined;
      if (piece === undefined) return header === undefined ? EMPTY : 'has a header, and no prompt';
    }
  } finally {
    await reader.close();
  }
}
