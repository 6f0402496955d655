/**
 * The state that a run of a bulk scan takes over from the previous run. It has two writers: a checkpoint writes all of
 * it after a time slice, and a journal notes each change while a process runs.
 */
import { type AisecError, ConflictError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import type { Journal } from '../../../lib/core/ports.ts';
import { fingerprint } from '../../../lib/core/text/fingerprint.ts';
import { type Counts, NO_ROWS, type Prompt, type Row } from './rows.ts';

/** The rows kept in files: from the first row on, without a gap. */
export interface Finished {
  readonly counts: Counts;
  /** Entry id of the last file; each file begins with the id of the previous file. */
  readonly file: string | null;
}

export const NOTHING_FINISHED: Finished = { counts: NO_ROWS, file: null };

/** A scan that the service accepted. */
export interface AcceptedScan {
  readonly scan: string;
  readonly rows: readonly number[];
  /** Fingerprint of its prompts, in a journal. */
  readonly mark?: string | undefined;
  /** Time of acceptance, by the elapsed time of the job's clock; undefined if another process sent it. */
  readonly since: number | undefined;
}

/** Shards that a run handed to other processes; their rows have no result yet. */
export interface Spread {
  readonly id: string;
  readonly shards: readonly { readonly number: number; readonly rows: readonly number[] }[];
}

export interface BulkState {
  /** Rows of earlier time slices, which are read at the end. */
  readonly finished: Finished;
  /** Results after a gap, by row. */
  readonly completed: ReadonlyMap<number, JsonObject>;
  readonly accepted: readonly AcceptedScan[];
  /** Rows of prompts that may have been scanned more than once, one entry for each extra scan. */
  readonly again: readonly number[];
  /** Whether the simulated service responded; undefined before the first response. */
  readonly simulated: boolean | undefined;
}

/** The state from which a run continues. */
export interface Restored extends BulkState {
  /** Returns, in order, the rows that are not in a file of `finished`; undefined after the last row. */
  next(): Promise<JsonObject | undefined>;
  /** Number of rows from the first row to the first gap. */
  readonly done: number;
  /** Rows whose prompts were in flight when the run stopped: they may have been scanned, and are scanned again. */
  readonly uncertain: readonly number[];
  readonly spread?: Spread | undefined;
  /** True if the results are complete, but the process died before the file was committed. */
  readonly hasEnd: boolean;
  /** Set if a required file is gone. */
  readonly lost?: AisecError | undefined;
}

/** Hint for a stopped run. */
export const RESUME = 'Repeat the line with resume=true: prompts with a result are not scanned again.';

/**
 * Keeps the state that changes during a run, except rows and scans, and notes each change in the journal, if there is
 * one.
 */
export class Notes {
  /** Rows of prompts that may have been scanned more than once, one entry for each extra scan. */
  readonly again: number[];
  /** Whether the simulated service responded; undefined before the first response. */
  simulated: boolean | undefined;
  private readonly open = new Set<number>();
  private readonly journal: Journal | undefined;

  constructor(journal: Journal | undefined, { again, simulated }: Pick<BulkState, 'again' | 'simulated'>) {
    this.journal = journal;
    this.again = again.slice();
    this.simulated = simulated;
  }

  /**
   * Notes that prompts are about to be sent: without a later note, their outcome is unknown. @param facts details of
   * the sending
   */
  sending(prompts: readonly Prompt[], facts?: JsonObject): Promise<void> {
    for (const { row } of prompts) this.open.add(row);
    return this.note({ sending: numbers(prompts), ...facts });
  }

  /** Marks prompts that the service did not process. */
  unsent(prompts: readonly Prompt[]): Promise<void> {
    this.close(prompts);
    return this.note({ unsent: numbers(prompts) });
  }

  async accepted(scan: string, prompts: readonly Prompt[]): Promise<void> {
    this.close(prompts);
    // A fingerprint takes long in the embedded engine, where there is no journal.
    if (this.journal !== undefined) await this.note({ scan, rows: numbers(prompts), mark: markOf(prompts) });
  }

  /** Marks results that cannot be polled again. */
  completed(rows: readonly Row[]): Promise<void> {
    this.close(rows);
    return this.note({ found: rows });
  }

  /** Notes that prompts that may have been scanned are about to be sent again. */
  async repeats(rows: readonly number[]): Promise<void> {
    for (const row of rows) this.again.push(row);
    if (rows.length > 0) await this.note({ again: rows });
  }

  /** Keeps a run on one service, so that simulated verdicts never mix with a tenant's. @throws ConflictError */
  async answered(simulated: boolean): Promise<void> {
    if (this.simulated === undefined) {
      this.simulated = simulated;
      await this.note({ simulated });
    }
    if (this.simulated !== simulated) throw otherService(this.simulated);
  }

  /** Returns the number of sent prompts with an unknown outcome. */
  unknown(): number {
    return this.open.size;
  }

  private close(rows: readonly { readonly row: number }[]): void {
    for (const { row } of rows) this.open.delete(row);
  }

  private async note(value: JsonObject): Promise<void> {
    await this.journal?.notes.append(`${JSON.stringify(value)}\n`);
  }
}

function numbers(prompts: readonly Prompt[]): number[] {
  return prompts.map(({ row }) => row);
}

/** Fingerprints prompts, to detect different input. */
export function markOf(prompts: readonly Prompt[]): string {
  return fingerprint(
    prompts.flatMap(({ text, content }) => (content === undefined ? [text] : [text, JSON.stringify(content)])),
  );
}

function otherService(simulated: boolean): ConflictError {
  const [before, now] = simulated ? ['the simulated service', 'a tenant'] : ['a tenant', 'the simulated service'];
  return new ConflictError(`The earlier part of this run was answered by ${before}, and this one by ${now}.`, {
    hint: 'Omit resume to start over, or use the first service again.',
  });
}
