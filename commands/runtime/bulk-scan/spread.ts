/** Spreads a bulk scan over other processes: hands out shards, and takes their rows back in order. The native bundle omits it. */
import { isBulkEnd } from '../../../lib/bulk/end.ts';
import { SHARD_CHARACTERS, SHARD_ITEMS, type ShardEnd, type Shards } from '../../../lib/bulk/shards.ts';
import { CancelledError, ServiceError } from '../../../lib/core/errors.ts';
import { isObject, type JsonObject } from '../../../lib/core/json.ts';
import type { Tools } from '../../../lib/engine/command.ts';
import { openInput, otherInput } from './input.ts';
import { againIn } from './restore.ts';
import { failedRow, heldBy, type Prompt, type Row } from './rows.ts';
import type { Run, RunIo, RunOptions } from './run.ts';
import { oneService } from './service-guard.ts';

const COMMAND = 'aisec-runtime-bulk-scan';
/** Characters of prompts that this process holds at most, beyond one shard. */
const READ_AHEAD_CHARACTERS = 64_000_000;
/** One task reads and hands out shards, the other takes results back. */
const TASKS = 2;

/** A shard that was handed out. */
interface Handed {
  readonly number: number;
  readonly prompts: readonly Prompt[];
}

/** Opens a run whose prompts are scanned elsewhere. @throws NetworkError or ConfigurationError if the queue cannot be used */
export async function spreadRun(
  shards: Shards,
  options: RunOptions,
  tools: Pick<Tools, 'cancelled' | 'stop'>,
  { source, restored, notes, output, report }: RunIo,
): Promise<Run> {
  const { subject, scanColumns, batchSize, concurrency, perSecond } = options;
  const scans = scanColumns === undefined ? {} : { scan_columns: scanColumns };
  const args = { ...subject, ...scans, batch_size: batchSize, concurrency, ...SHARD_ARGUMENTS };
  const work = await shards.open({ command: COMMAND, args, perSecond }, restored.spread?.id);
  await notes.sending([], { spread: work.id });
  const service = oneService(restored.simulated, notes);
  const again = [...restored.again];
  const cutter = cutShards(restored.spread?.shards ?? []);
  const uncertain = new Set(restored.uncertain);
  const out: Handed[] = [];
  let [isReading, isTaking] = [false, false];
  const input = openInput(source.column, restored, {
    output,
    scan: cutter.push,
    // Other processes cannot poll this scan, so its prompts are scanned again.
    resumeScan: (_, prompts) => {
      for (const prompt of prompts) {
        uncertain.add(prompt.row);
        cutter.push(prompt);
      }
    },
  });

  const repeat = async (rows: readonly number[]) => {
    for (const row of rows) again.push(row);
    await notes.again(rows);
  };

  const hand = async (shard: Handed) => {
    const { number, prompts } = shard;
    await notes.sending(prompts, { shard: number });
    const items = prompts.map(({ row, text, columns }) => ({
      row,
      text,
      ...(columns === undefined ? {} : { columns }),
    }));
    const isNew = await work.hand(number, items);
    // The part that an earlier run had sent is unknown.
    if (isNew) await repeat(prompts.map(({ row }) => row).filter((row) => uncertain.has(row)));
    out.push(shard);
  };

  const read = async () => {
    isReading = true;
    await input.read();
    for (const shard of cutter.ready(input.isOver())) await hand(shard);
    isReading = false;
    report(input);
  };

  const takeBack = async (shard: Handed) => {
    isTaking = true;
    const end = await work.ended(shard.number, tools.stop);
    if (end.failure !== undefined) throw end.failure;
    const { rows, simulated } = rowsOf(shard, end);
    if (simulated !== undefined) await service.answered(simulated);
    const repeated = againIn(end.notes).map((at) => end.rows[at - 1] ?? at);
    if (repeated.length > 0) await repeat(repeated);
    for (const row of rows) output.place(row);
    await output.flush();
    // Keep a shard that was set aside: aisec queue shows it.
    if (end.aside === undefined) await work.forget(shard.number);
    out.shift();
    isTaking = false;
    report(input);
  };

  const isComplete = () => input.isOver() && out.length === 0 && cutter.isEmpty();

  return {
    facts: () => ({
      profile: subject.profile_name,
      simulated: service.simulated() === true,
      repeated_scans: again.length,
    }),
    again: () => again,
    simulated: service.simulated,
    next: () => {
      if (tools.cancelled()) throw new CancelledError('Stopped.');
      const mayRead = out.length < work.ahead() && output.held() < READ_AHEAD_CHARACTERS;
      if (!(isReading || input.isOver()) && (mayRead || out.length === 0)) return read;
      const [first] = out;
      return isTaking || first === undefined ? undefined : () => takeBack(first);
    },
    concurrency: () => TASKS,
    isComplete,
    prompts: input.count,
    pending: () => [],
    batchSize: () => batchSize,
    // Other processes do the work, so this one needs no more time for it.
    extend: () => undefined,
    giveUp: (error) => Promise.reject(error),
    close: () => work.close(isComplete()),
  };
}

/** A shard continues where a lost worker left it, and returns all of its rows. */
const SHARD_ARGUMENTS = { prompts_csv: 'shard', output_file: 'shard.jsonl', resume: true };

/** Groups prompts into shards; shards of a stopped run keep their bounds. */
function cutShards(earlier: readonly { readonly number: number; readonly rows: readonly number[] }[]) {
  const known = new Map(earlier.flatMap(({ number, rows }) => rows.map((row) => [row, number] as const)));
  const whole: Handed[] = [];
  let open: { number: number; isKnown: boolean; prompts: Prompt[]; characters: number } | undefined;
  const end = () => {
    if (open !== undefined) whole.push({ number: open.number, prompts: open.prompts });
    open = undefined;
  };
  return {
    push: (prompt: Prompt) => {
      const number = known.get(prompt.row);
      const isOther = open !== undefined && (open.isKnown ? open.number !== number : number !== undefined);
      const isFull = open?.isKnown === false && isLarge(open.prompts.length, open.characters + charactersOf(prompt));
      if (isOther || isFull) end();
      open ??= { number: number ?? prompt.row, isKnown: number !== undefined, prompts: [], characters: 0 };
      open.prompts.push(prompt);
      open.characters += charactersOf(prompt);
    },
    ready: (isLast: boolean): readonly Handed[] => {
      if (isLast) end();
      return whole.splice(0);
    },
    isEmpty: () => open === undefined && whole.length === 0,
  };
}

/** Counts what a shard takes: its items have all columns of their rows. */
function charactersOf({ text, columns }: Prompt): number {
  return heldBy({ prompt: text, columns });
}

function isLarge(count: number, characters: number): boolean {
  return count >= SHARD_ITEMS || characters > SHARD_CHARACTERS;
}

/** Returns the rows of a shard, numbered as in the whole input; every prompt has one. */
function rowsOf({ prompts }: Handed, end: ShardEnd): { rows: readonly Row[]; simulated: boolean | undefined } {
  const found = new Map<number, Row>();
  let simulated: boolean | undefined;
  for (const [at, line] of end.results.entries()) {
    const value: unknown = JSON.parse(line);
    if (isBulkEnd(value)) simulated = value['simulated'] === true;
    else if (isObject(value)) found.set(end.rows[at] ?? 0, numbered(value, end.rows[at] ?? 0));
  }
  const rows = prompts.map((prompt) => {
    const row = found.get(prompt.row);
    // A stopped run may have handed out the prompts of another file of this name.
    if (row !== undefined && row.prompt !== prompt.text) throw otherInput(prompt.row);
    return row ?? asideRow(prompt, end.aside);
  });
  return { rows, simulated };
}

function numbered(value: JsonObject, row: number): Row {
  return { ...value, row } as unknown as Row;
}

function asideRow(prompt: Prompt, why = 'its shard ended without a row for it.'): Row {
  const message = `The prompt has no result: ${why} Whether it was scanned is unknown.`;
  return failedRow(prompt, 'unknown', new ServiceError(message));
}
