/** The CSV of an upload, looked at before it is sent: what is no list of prompts never leaves. */

import { type CsvRow, csvReader } from '../../lib/bulk/csv.ts';
import { type FileEntry, type Files, type TextReader, UsageError } from '../../lib/declare.ts';

/** Of a cell so much is looked at. */
const CELL = 1000;

/** A header is never longer, in characters; what is has no lines, as a picture. */
const HEADER = 65_536;

/**
 * Finds the file and reads its head: the header, and the row after it. What is in the rows is judged by the service.
 * @returns the file as it is to be sent, under a name that says what it is; not every host knows the name
 * @throws UsageError when there is no such file, it holds no CSV with a column `prompt`, or no row
 */
export async function promptFile(files: Files, entry: string): Promise<FileEntry> {
  const file = await files.find(entry);
  const problem = file.size === 0 ? EMPTY : await problemOf(await files.read(file));
  if (problem === undefined) return /\.csv$/i.test(file.name) ? file : { ...file, name: `${file.name}.csv` };
  throw new UsageError(`The file ${file.name} ${problem}.`, {
    hint: 'Give a CSV file whose first row names the columns, separated by commas: prompt, goal if you like, and the properties of the prompt set. !aisec-redteam-prompt-sets-download makes a template.',
    argument: 'entryID',
  });
}

const EMPTY = 'is empty';
const NO_HEADER = 'has no column named prompt';

async function problemOf(reader: TextReader): Promise<string | undefined> {
  const csv = csvReader({ longest: CELL });
  let rows: readonly CsvRow[] = [];
  let seen = 0;
  try {
    for (let piece = await reader.next(); ; piece = await reader.next()) {
      rows = rows.concat(piece === undefined ? csv.end() : csv.push(piece));
      seen += piece?.length ?? 0;
      const [header, first] = rows;
      if (header === undefined ? seen > HEADER : !header.cells.some(isPrompt)) return NO_HEADER;
      if (first !== undefined) return first.open ? `has a quote in line ${first.line} that is never closed` : undefined;
      if (piece === undefined) return header === undefined ? EMPTY : 'has a header, and no prompt';
    }
  } finally {
    await reader.close();
  }
}

/** In any case, with or without space around it. A quote behind a space is part of the cell. */
function isPrompt(cell: string): boolean {
  const text = cell.trim();
  const name = text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  return name.trim().toLowerCase() === 'prompt';
}
