/** Numbers the prompts of a bulk scan and matches them with the results of an earlier run. */
import { type Column, type Item, openColumn } from '../../../lib/bulk/column.ts';
import { textReader } from '../../../lib/bulk/lines.ts';
import type { Tools } from '../../../lib/command.ts';
import { UsageError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { TextReader } from '../../../lib/ports.ts';
import { fingerprint } from '../../../lib/text/fingerprint.ts';
import { utf8Length } from '../../../lib/text/utf8.ts';
import { LIMITS, type Subject } from './calls.ts';
import { type AcceptedScan, markOf, type Restored } from './journal.ts';
import type { Output } from './output.ts';
import { type Prompt, type Row, refusedRow } from './rows.ts';

export interface Source {
  readonly column: Column;
  /** In bytes, where it is known. */
  readonly size: number | undefined;
  /** The same for the same prompts, profile and session: it names the journal. */
  readonly name: string;
}

export interface InputArguments {
  readonly prompts_csv: string;
  readonly entry_id: string | undefined;
  readonly prompt_column: string;
}

/** The default name of the column. */
export const PROMPT_COLUMN = 'prompt';

/**
 * The input of a run: the text of an argument, or a file.
 * @throws UsageError when there is no such file, or it is a table without the column
 */
export async function openSource(
  subject: Subject,
  { prompts_csv, entry_id, prompt_column }: InputArguments,
  { files }: Pick<Tools, 'files'>,
): Promise<Source> {
  const isNamed = prompt_column !== PROMPT_COLUMN;
  const columnOf = (reader: TextReader, isTable: boolean, argument: string) =>
    openColumn(reader, { name: prompt_column, noun: 'prompt', longest: LIMITS.promptBytes, isTable }).catch(
      about(isNamed ? 'prompt_column' : argument),
    );
  const named = (...input: string[]) =>
    `bulk-scan-${fingerprint([subject.profile_name, subject.session_id ?? '', ...input, ...(isNamed ? [prompt_column] : [])])}`;
  if (entry_id === undefined) {
    const column = await columnOf(textReader(prompts_csv), isNamed, 'prompts_csv');
    return { column, size: utf8Length(prompts_csv), name: named(prompts_csv) };
  }
  const file = await files.find(entry_id);
  const column = await columnOf(await files.read(file), isNamed || /\.csv$/i.test(file.name), 'entry_id');
  return { column, size: file.size, name: named('entry', file.entry, String(file.size)) };
}

/** Names the argument that an error is about. */
function about(argument: string) {
  return (thrown: unknown): never => {
    if (thrown instanceof UsageError) thrown.argument ??= argument;
    throw thrown;
  };
}

/** Receives the prompts that are read. */
export interface Sink {
  readonly output: Pick<Output, 'expect' | 'place' | 'flush'>;
  /** A prompt that is to be scanned. */
  scan(prompt: Prompt): void;
  /** A scan of an earlier run, whose prompts have all been read. */
  resumeScan(accepted: AcceptedScan, prompts: readonly Prompt[]): void;
}

export interface Input {
  /** Reads the next piece. @throws UsageError when it is not the input of the run that is to be continued */
  read(): Promise<void>;
  /** How many prompts were read. */
  count(): number;
  isOver(): boolean;
  /** There are prompts left of which an earlier slice knew. */
  isBehind(): boolean;
}

export function openInput(column: Column, restored: Restored, sink: Sink): Input {
  const { output, resumeScan } = sink;
  const accepted = scansByRow(restored.accepted);
  const finished = restored.finished.counts.total;
  let [count, isOver, isReplaying] = [0, false, true];

  const earlier = async (): Promise<JsonObject | undefined> => {
    const row = isReplaying ? await restored.next() : undefined;
    isReplaying = row !== undefined;
    return row;
  };

  const admit = async ({ text, problem }: Item) => {
    count += 1;
    if (count <= finished) return;
    const prompt = { row: count, text };
    const refused = problem === undefined ? undefined : refusedRow(prompt, problem);
    const done = await earlier();
    const known = done ?? restored.completed.get(count);
    output.expect((refused?.prompt ?? text).length);
    const scan = accepted.get(count);
    const open = scan?.add(prompt, known === undefined) ?? [];
    if (scan !== undefined && open.length > 0) resumeScan(scan.accepted, open);
    if (refused !== undefined || known !== undefined) {
      const row = refused ?? { ...known, ...asKnown(prompt, known ?? {}) };
      if (known !== undefined) checkSame(row.prompt, known['prompt'], count);
      output.place(row, done !== undefined);
    } else if (scan === undefined) sink.scan(prompt);
  };

  return {
    count: () => count,
    isOver: () => isOver,
    isBehind: () => !isOver && count < restored.through,
    read: async () => {
      const items = await column.next();
      isOver = items === undefined;
      for (const item of items ?? []) await admit(item);
      await output.flush();
      if (isOver && count < finished) throw otherInput(count + 1);
      if (isOver && isReplaying && (await earlier()) !== undefined) throw otherInput(count + 1);
    },
  };
}

function asKnown({ row, text }: Prompt, known: JsonObject): Row {
  return { row, prompt: text, action: String(known['action']), status: String(known['status']) };
}

/** Scans of an earlier run by each of their rows. */
function scansByRow(all: readonly AcceptedScan[]) {
  const byRow = new Map<number, ReturnType<typeof collecting>>();
  for (const accepted of all) {
    const scan = collecting(accepted);
    for (const row of accepted.rows) byRow.set(row, scan);
  }
  return byRow;
}

function collecting(accepted: AcceptedScan) {
  const prompts: Prompt[] = [];
  const open: Prompt[] = [];
  return {
    accepted,
    /** @param isOpen it has no result yet @returns the prompts without a result, when all of the scan were read */
    add: (prompt: Prompt, isOpen: boolean): readonly Prompt[] => {
      prompts.push(prompt);
      if (isOpen) open.push(prompt);
      if (prompts.length < accepted.rows.length) return [];
      if (accepted.mark !== '' && markOf(prompts) !== accepted.mark) throw otherInput(prompt.row);
      return open;
    },
  };
}

function checkSame(prompt: string, known: unknown, row: number): void {
  if (known !== undefined && known !== prompt) throw otherInput(row);
}

function otherInput(row: number): UsageError {
  return new UsageError(`This is not the input of the run that is to be continued: prompt ${row} is another one.`, {
    hint: 'Bring the input back as it was, or leave resume out to start over.',
  });
}
