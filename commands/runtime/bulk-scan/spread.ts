/**
 * Spreads a bulk scan across other processes: hands out shards, and takes their rows back in order. The native bundle
 * omits this module.
 */

import { CancelledError, ServiceError } from '../../../lib/core/errors.ts';
import { isObject } from '../../../lib/core/json.ts';
import { isBulkEnd } from '../../../lib/runtime/bulk/end.ts';
import type { Next } from '../../../lib/runtime/bulk/run-pool.ts';
import {
  SHARD_CHARACTERS,
  SHARD_ITEMS,
  type ShardEnd,
  type ShardedScan,
  type Shards,
} from '../../../lib/runtime/bulk/shards.ts';
import type { Tools } from '../../../lib/runtime/engine/command.ts';
import { Input, otherInput } from './replay.ts';
import { againIn } from './restore.ts';
import { failedRow, heldBy, type Prompt, type Row } from './rows.ts';
import type { Run, Work } from './run.ts';

const COMMAND = 'aisec-runtime-bulk-scan';
/** Maximum characters of prompts that this process holds, in addition to one shard. */
const READ_AHEAD_CHARACTERS = 64_000_000;
/** One task reads and hands out shards, the other collects results. */
const TASKS = 2;

/** A shard that was handed out. */
interface Handed {
  readonly number: number;
  readonly prompts: readonly Prompt[];
}

/** Opens a run whose prompts other processes scan. @throws NetworkError or ConfigurationError if the queue cannot be used */
export async function spreadRun(shards: Shards, work: Work, tools: Pick<Tools, 'cancelled' | 'stop'>): Promise<Run> {
  const { subject, scanColumns, batchSize, concurrency, perSecond } = work.options;
  const scans = scanColumns === undefined ? {} : { scan_columns: scanColumns };
  const args = { ...subject, ...scans, batch_size: batchSize, concurrency, ...SHARD_ARGUMENTS };
  const scan = await shards.open({ command: COMMAND, args, perSecond }, work.restored.spread?.id);
  await work.notes.sending([], { spread: scan.id });
  return new SpreadRun(scan, work, tools);
}

class SpreadRun implements Run {
  readonly input: Input;
  private readonly scan: ShardedScan;
  private readonly work: Work;
  private readonly tools: Pick<Tools, 'cancelled' | 'stop'>;
  private readonly cutter: ReturnType<typeof cutShards>;
  private readonly uncertain: Set<number>;
  private readonly out: Handed[] = [];
  private isReading = false;
  private isTaking = false;

  constructor(scan: ShardedScan, work: Work, tools: Pick<Tools, 'cancelled' | 'stop'>) {
    const { spread, uncertain } = work.restored;
    this.scan = scan;
    this.work = work;
    this.tools = tools;
    this.cutter = cutShards(spread?.shards ?? []);
    this.uncertain = new Set(uncertain);
    this.input = new Input(work, {
      scan: this.cutter.push,
      // Other processes cannot poll this scan, so its prompts are scanned again.
      resumeScan: (_, prompts) => {
        for (const prompt of prompts) {
          this.uncertain.add(prompt.row);
          this.cutter.push(prompt);
        }
      },
    });
  }

  next(): Next {
    const { input, out } = this;
    if (this.tools.cancelled()) throw new CancelledError('Stopped.');
    const mayRead = out.length < this.scan.ahead() && this.work.output.held < READ_AHEAD_CHARACTERS;
    if (!(this.isReading || input.isOver) && (mayRead || out.length === 0)) return () => this.read();
    const [first] = out;
    return this.isTaking || first === undefined ? undefined : () => this.takeBack(first);
  }

  concurrency(): number {
    return TASKS;
  }

  isComplete(): boolean {
    return this.input.isOver && this.out.length === 0 && this.cutter.isEmpty();
  }

  pending(): readonly never[] {
    return [];
  }

  close(): Promise<void> {
    return this.scan.close(this.isComplete());
  }

  private async read(): Promise<void> {
    this.isReading = true;
    await this.input.read();
    for (const shard of this.cutter.ready(this.input.isOver)) await this.hand(shard);
    this.isReading = false;
    this.work.report(this.input);
  }

  private async hand(shard: Handed): Promise<void> {
    const { number, prompts } = shard;
    const { notes } = this.work;
    await notes.sending(prompts, { shard: number });
    const items = prompts.map(({ row, text, columns }) => ({
      row,
      text,
      ...(columns === undefined ? {} : { columns }),
    }));
    const isNew = await this.scan.hand(number, items);
    // How much an earlier run had sent is unknown.
    if (isNew) await notes.repeats(prompts.map(({ row }) => row).filter((row) => this.uncertain.has(row)));
    this.out.push(shard);
  }

  private async takeBack(shard: Handed): Promise<void> {
    const { notes, output, report } = this.work;
    this.isTaking = true;
    const end = await this.scan.ended(shard.number, this.tools.stop);
    if (end.failure !== undefined) throw end.failure;
    const { rows, simulated } = rowsOf(shard, end);
    if (simulated !== undefined) await notes.answered(simulated);
    await notes.repeats(againIn(end.notes).map((at) => end.rows[at - 1] ?? at));
    for (const row of rows) output.place(row);
    await output.flush();
    // Keep a failed shard, because aisec queue shows it.
    if (end.aside === undefined) await this.scan.forget(shard.number);
    this.out.shift();
    this.isTaking = false;
    report(this.input);
  }
}

/** A shard continues where a lost worker stopped, and returns all of its rows. */
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
      // The shard's items have all columns of their rows.
      const characters = heldBy({ prompt: prompt.text, columns: prompt.columns });
      const isOther = open !== undefined && (open.isKnown ? open.number !== number : number !== undefined);
      const isFull =
        open?.isKnown === false &&
        (open.prompts.length >= SHARD_ITEMS || open.characters + characters > SHARD_CHARACTERS);
      if (isOther || isFull) end();
      open ??= { number: number ?? prompt.row, isKnown: number !== undefined, prompts: [], characters: 0 };
      open.prompts.push(prompt);
      open.characters += characters;
    },
    ready: (isLast: boolean): readonly Handed[] => {
      if (isLast) end();
      return whole.splice(0);
    },
    isEmpty: () => open === undefined && whole.length === 0,
  };
}

/** Returns the rows of a shard, one per prompt, numbered as in the whole input. */
function rowsOf({ prompts }: Handed, end: ShardEnd): { rows: readonly Row[]; simulated: boolean | undefined } {
  const found = new Map<number, Row>();
  let simulated: boolean | undefined;
  for (const [at, line] of end.results.entries()) {
    const value: unknown = JSON.parse(line);
    if (isBulkEnd(value)) simulated = value['simulated'] === true;
    else if (isObject(value)) found.set(end.rows[at] ?? 0, { ...value, row: end.rows[at] ?? 0 } as unknown as Row);
  }
  const rows = prompts.map((prompt) => {
    const row = found.get(prompt.row);
    // A stopped run may have handed out prompts of a different file with the same name.
    if (row !== undefined && row.prompt !== prompt.text) throw otherInput(prompt.row);
    return row ?? asideRow(prompt, end.aside);
  });
  return { rows, simulated };
}

function asideRow(prompt: Prompt, why = 'its shard ended without a row for it.'): Row {
  const message = `The prompt has no result: ${why} Whether it was scanned is unknown.`;
  return failedRow(prompt, 'unknown', new ServiceError(message));
}
