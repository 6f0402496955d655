/** Numbers the prompts of a bulk scan and matches them with the results of an earlier run. */

import { UsageError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import type { Column } from '../../../lib/runtime/bulk/column.ts';
import type { Source } from './input.ts';
import type { Output } from './output.ts';
import { heldBy, kept, type Prompt, type Row, refusedRow, type ScanItem } from './rows.ts';
import { type AcceptedScan, markOf, type Restored } from './state.ts';

/** Receives prompts. */
interface Sink {
  /** Receives a prompt to scan. */
  scan(prompt: Prompt): void;
  /** Receives an accepted scan of an earlier run, after all its prompts have been read. */
  resumeScan(accepted: AcceptedScan, prompts: readonly Prompt[]): void;
}

interface InputParts {
  readonly source: Source;
  readonly restored: Restored;
  readonly output: Output;
}

/** An accepted scan of an earlier run whose prompts are being read. */
interface Resumed {
  readonly accepted: AcceptedScan;
  readonly prompts: Prompt[];
  /** Prompts without a result. */
  readonly open: Prompt[];
}

export class Input {
  /** Number of prompts read. */
  count = 0;
  isOver = false;
  private readonly column: Column<ScanItem>;
  private readonly restored: Restored;
  private readonly output: Output;
  private readonly sink: Sink;
  /** Scans of the earlier run, by row. */
  private readonly scans: ReadonlyMap<number, Resumed>;
  /** Last row known to the earlier run. */
  private readonly through: number;
  private isReplaying = true;

  constructor({ source, restored, output }: InputParts, sink: Sink) {
    const { done, completed, accepted } = restored;
    this.column = source.column;
    this.restored = restored;
    this.output = output;
    this.sink = sink;
    const scans = accepted.map((each) => ({ accepted: each, prompts: [], open: [] }));
    this.scans = new Map(scans.flatMap((scan) => scan.accepted.rows.map((row) => [row, scan] as const)));
    const known = [...Array.from(completed.keys()), ...Array.from(this.scans.keys())];
    this.through = known.reduce((last, row) => Math.max(last, row), done);
  }

  /** Reports whether prompts of an earlier slice are still unread. */
  isBehind(): boolean {
    return !this.isOver && this.count < this.through;
  }

  /** Reads the next chunk. @throws UsageError if it differs from the input of the resumed run */
  async read(): Promise<void> {
    const items = await this.column.next();
    this.isOver = items === undefined;
    for (const item of items ?? []) await this.admit(item);
    await this.output.flush();
    if (!this.isOver) return;
    const hasMore = this.count < this.restored.finished.counts.total || (await this.earlier()) !== undefined;
    if (hasMore) throw otherInput(this.count + 1);
  }

  private async admit(item: ScanItem): Promise<void> {
    const { restored, output } = this;
    this.count += 1;
    const row = this.count;
    if (row <= restored.finished.counts.total) return;
    const prompt: Prompt = { ...item, row };
    const refused = item.problem === undefined ? undefined : refusedRow(prompt, item.problem);
    const known = (await this.earlier()) ?? restored.completed.get(row);
    const { columns, text } = prompt;
    output.expect(heldBy(refused ?? { prompt: text, columns }));
    const scan = this.scans.get(row);
    if (scan !== undefined) this.resume(scan, prompt, known === undefined);
    const shown = refused?.prompt ?? text;
    if (known !== undefined && known['prompt'] !== undefined && known['prompt'] !== shown) throw otherInput(row);
    if (refused !== undefined) output.place(refused);
    else if (known !== undefined) output.place(asKnown(prompt, known));
    else if (scan === undefined) this.sink.scan(prompt);
  }

  private async earlier(): Promise<JsonObject | undefined> {
    const row = this.isReplaying ? await this.restored.next() : undefined;
    this.isReplaying = row !== undefined;
    return row;
  }

  /** Adds a prompt to its scan, which is resumed once all of its prompts are read. */
  private resume({ accepted, prompts, open }: Resumed, prompt: Prompt, isOpen: boolean): void {
    prompts.push(prompt);
    if (isOpen) open.push(prompt);
    if (prompts.length < accepted.rows.length) return;
    if (accepted.mark !== undefined && markOf(prompts) !== accepted.mark) throw otherInput(prompt.row);
    if (open.length > 0) this.sink.resumeScan(accepted, open);
  }
}

function asKnown(prompt: Prompt, known: JsonObject): Row {
  const { row, text } = prompt;
  const own = { row, prompt: text, action: String(known['action']), status: String(known['status']) };
  return { ...known, ...own, ...kept(prompt) };
}

/** Returns the error for resuming a run with different input. */
export function otherInput(row: number): UsageError {
  return new UsageError(`This is not the input of the run to resume: prompt ${row} differs.`, {
    hint: 'Restore the input, or omit resume to start over.',
  });
}
