/** Opens the prompts of a bulk scan: the text of an argument, a file, or a shard. */

import { UsageError } from '../../../lib/core/errors.ts';
import type { TextReader } from '../../../lib/core/ports.ts';
import { fingerprint } from '../../../lib/core/text/fingerprint.ts';
import { utf8Length } from '../../../lib/core/text/utf8.ts';
import {
  type Column,
  columnIn,
  type Delimiter,
  type Format,
  formatOf,
  openColumn,
} from '../../../lib/runtime/bulk/column.ts';
import { textReader } from '../../../lib/runtime/bulk/lines.ts';
import { SHARD } from '../../../lib/runtime/bulk/shards.ts';
import type { Tools } from '../../../lib/runtime/engine/command.ts';
import { LIMITS, type Subject } from './calls.ts';
import { CONTENT_NAMES, type ContentName, withContents } from './contents.ts';
import type { ScanItem } from './rows.ts';

export interface Source {
  readonly column: Column<ScanItem>;
  /** Size in bytes, if known. */
  readonly size: number | undefined;
  /** Name of the journal, derived from prompts, profile and session. */
  readonly name: string;
}

export interface InputArguments {
  readonly prompts_csv: string | undefined;
  readonly entry_id: string | undefined;
  readonly prompt_column: string;
  readonly keep_columns: readonly string[] | undefined;
  readonly scan_columns: readonly string[] | undefined;
  readonly input_format: Format | undefined;
  readonly delimiter: Delimiter | undefined;
}

/** Default column. */
export const PROMPT_COLUMN = 'prompt';

/**
 * Opens the input of a run: the text of an argument, or a file.
 * @param isFirst no earlier time slice has read the input, so read all rows of a table before scanning any
 * @throws UsageError if there is no such file, or the table lacks the column
 */
export async function openSource(
  subject: Subject,
  {
    prompts_csv = '',
    entry_id,
    prompt_column,
    keep_columns = [],
    scan_columns = [],
    input_format,
    delimiter,
  }: InputArguments,
  { files, port }: Pick<Tools, 'files' | 'port'>,
  isFirst: boolean,
): Promise<Source> {
  const shard = port(SHARD);
  const scanned = CONTENT_NAMES.filter((name) => scan_columns.includes(name));
  const complete = (column: Column) => withContents(column, scanned, subject);
  if (shard !== undefined) {
    const items = shard.items.map((item) => ({ ...item, line: 0 }));
    return { column: complete(columnIn([{ items, bytes: 0 }])), size: undefined, name: shard.name };
  }
  refusePromptColumn(prompt_column, scanned);
  const isNamed = prompt_column !== PROMPT_COLUMN;
  const keep = [...keep_columns, ...scanned.filter((name) => !keep_columns.includes(name))];
  const column = {
    ...{ name: prompt_column, noun: 'prompt', maxBytes: LIMITS.promptBytes, keep, delimiter },
    keptBy: (name: string) => (keep_columns.includes(name) ? 'keep_columns' : 'scan_columns'),
    mayBeBlank: scanned.some((name) => name !== 'context'),
  };
  const hasColumns = isNamed || keep.length > 0;
  if (input_format === 'lines' && hasColumns)
    throw new UsageError('input_format=lines has no columns: every line is a prompt.', {
      hint: 'Omit prompt_column, keep_columns and scan_columns, or use input_format=csv or input_format=jsonl.',
      argument: 'input_format',
    });
  if (delimiter !== undefined && input_format !== undefined && input_format !== 'csv')
    throw new UsageError(`input_format=${input_format} has no delimiter.`, { argument: 'delimiter' });
  // Later time slices read input that the first slice has checked.
  const columnOf = async (read: () => Promise<TextReader>, argument: string, fileName = '') => {
    const format = input_format ?? (delimiter && 'csv') ?? formatOf(fileName) ?? (hasColumns ? 'csv' : undefined);
    const named = about(isNamed ? 'prompt_column' : argument);
    return openColumn(await read(), { ...column, format }, isFirst ? read : undefined).then(complete, named);
  };
  const form = input_format === undefined ? [] : [`input_format=${input_format}`];
  const cells = delimiter === undefined ? [] : [`delimiter=${delimiter}`];
  const scans = scanned.length === 0 ? [] : [`scan_columns=${scanned.join(',')}`];
  const named = nameOf(subject, [...(isNamed ? [prompt_column] : []), ...keep_columns, ...form, ...cells, ...scans]);
  if (entry_id === undefined) {
    refuseStandIn(prompts_csv);
    await refuseFileName(prompts_csv, files);
    const opened = await columnOf(async () => textReader(prompts_csv), 'prompts_csv');
    return { column: opened, size: utf8Length(prompts_csv), name: named(prompts_csv) };
  }
  const file = await files.find(entry_id);
  const opened = await columnOf(() => files.read(file), 'entry_id', file.name);
  return { column: opened, size: file.size, name: named('entry', file.identity ?? file.entry, String(file.size)) };
}

/** @throws UsageError if the column of the prompts is also among the columns to scan with them */
function refusePromptColumn(prompts: string, scanned: readonly ContentName[]): void {
  const column = scanned.find((name) => name === prompts.trim().toLowerCase());
  if (column === undefined) return;
  throw new UsageError(`The column ${column} holds the prompts, so it cannot also be scanned with them.`, {
    hint: `Leave ${column} out of scan_columns, or set prompt_column to another column.`,
    argument: 'scan_columns',
  });
}

/** Replaces the prompts if `entry_id` is given, because the manifest requires `prompts_csv`. */
const STAND_IN = 'file';
/** Characters that shells, tables and lists put around a word. */
const WRAPPING = /^[\s\ufeff"'`“”‘’«»()[\]{}<>,;]+|[\s\ufeff"'`“”‘’«»()[\]{}<>,;]+$/g;
const SCAN_WORD = 'To scan the word itself, write "prompt" in a line before it.';

/** @throws UsageError for the placeholder without its file, because it would be scanned as one harmless prompt */
function refuseStandIn(prompts: string): void {
  if (bare(prompts).toLowerCase() !== STAND_IN) return;
  throw new UsageError('prompts_csv=file needs the argument entry_id, which is missing or blank.', {
    hint: `Write entry_id=NAME. ${SCAN_WORD}`,
    argument: 'entry_id',
  });
}

/** Returns a text without the characters around it: a quoted word means the same as the word. */
function bare(text: string): string {
  return text.replace(WRAPPING, '');
}

/** Maximum length of a name; a longer path cannot be opened. */
const MAX_PATH_LENGTH = 4096;

/** Matches a single word with the extension of a prompt file, not a sentence that ends in a file name. */
const FILE_NAME = /^[^\s]{1,200}\.(?:csv|jsonl|ndjson|txt)$/i;

/**
 * Rejects a file name given instead of the file, because it would be scanned as one harmless prompt. @throws UsageError
 * for a file's name
 */
async function refuseFileName(prompts: string, files: Tools['files']): Promise<void> {
  const [typed, name] = [prompts.trim(), bare(prompts)];
  if (name === '' || typed.length > MAX_PATH_LENGTH || /[\r\n]/.test(name)) return;
  const argument = 'prompts_csv';
  for (const path of [typed, name]) {
    if ((await files.exists?.(path)) !== true) continue;
    throw new UsageError(`The only prompt is the name of a file: ${path}.`, {
      hint: `Did you mean entry_id=${path}? ${SCAN_WORD}`,
      argument,
    });
  }
  if (FILE_NAME.test(name))
    throw new UsageError(`The only prompt looks like the name of a file: ${name}. There is no such file.`, {
      hint: `Check the name, and write entry_id=${name}. ${SCAN_WORD}`,
      argument,
    });
}

/** @param columns as named in the arguments, because they change the rows */
function nameOf({ profile_name, session_id }: Subject, columns: readonly string[]) {
  return (...input: string[]) => `bulk-scan-${fingerprint([profile_name, session_id ?? '', ...input, ...columns])}`;
}

/** Adds the argument's name to errors. */
function about(argument: string) {
  return (thrown: unknown): never => {
    if (thrown instanceof UsageError) thrown.argument ??= argument;
    throw thrown;
  };
}
