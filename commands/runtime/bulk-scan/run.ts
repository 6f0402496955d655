/** The scheduler of a bulk scan: chooses the next task until no task is left. */

import { type AisecError, CancelledError } from '../../../lib/core/errors.ts';
import type { Journal } from '../../../lib/core/ports.ts';
import { Pace } from '../../../lib/runtime/bulk/pace.ts';
import type { Next } from '../../../lib/runtime/bulk/run-pool.ts';
import type { Tools } from '../../../lib/runtime/engine/command.ts';
import { createBatches } from './batches.ts';
import { LIMITS, type Subject } from './calls.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { Source } from './input.ts';
import type { Output } from './output.ts';
import { Input } from './replay.ts';
import { leaveUnsent, poll, type RunContext, scanAlone, submit } from './requests.ts';
import { type Scan, Scans } from './scans.ts';
import type { Notes, Restored } from './state.ts';

export interface RunOptions {
  readonly subject: Subject;
  /** Columns that are scanned together with the prompts. */
  readonly scanColumns?: readonly string[] | undefined;
  /** Maximum number of prompts in one batch. */
  readonly batchSize: number;
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly perSecond: number | undefined;
}

/** The resources of a run. */
export interface Work {
  readonly options: RunOptions;
  readonly source: Source;
  readonly journal: Journal | undefined;
  readonly restored: Restored;
  readonly notes: Notes;
  readonly output: Output;
  /** Reports progress. */
  readonly report: (input: Pick<Input, 'count' | 'isOver'>) => void;
}

export interface Run {
  readonly input: Pick<Input, 'count'>;
  next(): Next;
  concurrency(): number;
  /** Whether every prompt has a row. */
  isComplete(): boolean;
  /** Scans that the service has not finished. */
  pending(): readonly Scan[];
  /** Closes the resources of the run. */
  close?(): Promise<void>;
}

/** Below this number, prompts are scanned synchronously, one by one. */
export const FEW = 10;
/** Maximum number of unfinished scans for each concurrent request. */
const SCANS_PER_REQUEST = 16;
/** Read-ahead limits: a multiple of the prompts in flight, and a number of characters. */
const [READ_AHEAD, READ_AHEAD_CHARACTERS] = [2, 16_000_000];

/** A run in this process. */
export class OwnRun implements Run {
  readonly input: Input;
  private readonly work: Work;
  private readonly tools: Pick<Tools, 'api' | 'clock' | 'cancelled'>;
  private readonly context: RunContext;
  private readonly pace: Pace;
  private readonly maxScans: number;
  private deadline: number | undefined;
  private isReading = false;

  constructor(work: Work, tools: Pick<Tools, 'api' | 'clock' | 'cancelled' | 'deadline'>) {
    const { options, notes, output, report } = work;
    const { api, clock } = tools;
    this.work = work;
    this.tools = tools;
    this.deadline = tools.deadline;
    this.pace = new Pace({ clock, maxConcurrency: options.concurrency, perSecond: options.perSecond });
    this.maxScans = options.concurrency * SCANS_PER_REQUEST;
    const [scans, batches] = [new Scans(clock), createBatches(options.batchSize)];
    this.input = new Input(work, {
      scan: batches.push,
      resumeScan: ({ scan, since }, prompts) => scans.resumeScan(scan, prompts, since),
    });
    this.context = {
      ...{ subject: options.subject, batches, scans, notes },
      breaker: createCircuitBreaker(this.pace, clock),
      attempts: new Map(),
      idsPerPoll: LIMITS.scanIds,
      fetch: async (call) => {
        const answer = await api.fetch(call);
        await notes.answered(api.simulated());
        return answer;
      },
      settle: async (rows) => {
        for (const row of rows) output.place(row);
        await output.flush();
        report(this.input);
      },
    };
  }

  next(): Next {
    if (this.tools.cancelled()) throw new CancelledError('Stopped.');
    if (this.deadline === undefined) return this.choose();
    const leftMs = this.deadline - this.tools.clock.elapsed();
    // Pass on the state of an earlier slice only after the prompt has been read.
    if (leftMs <= 0) return this.input.isBehind() && !this.isReading ? this.read : undefined;
    const chosen = this.choose();
    return typeof chosen === 'number' ? Math.min(chosen, leftMs) : chosen;
  }

  concurrency(): number {
    return this.pace.concurrency();
  }

  isComplete(): boolean {
    return this.input.isOver && this.context.batches.waiting() === 0 && this.pending().length === 0;
  }

  pending(): readonly Scan[] {
    return this.context.scans.all();
  }

  /** Returns the maximum number of prompts in a batch, as learned so far. */
  batchSize(): number {
    return this.context.batches.learned();
  }

  /** Moves the deadline. @param deadline by the clock's elapsed time */
  extend(deadline: number): void {
    this.deadline = deadline;
  }

  /** Stops sending: every prompt without a verdict gets a row with this error. */
  async giveUp(error: AisecError): Promise<void> {
    // Only reading is left, which needs no requests.
    this.deadline = undefined;
    this.context.givenUp = { error, why: 'It was not sent.' };
    for (const scan of this.pending()) await this.context.settle(this.context.scans.end(scan, 'timed_out', error));
  }

  private readonly read = async (): Promise<void> => {
    this.isReading = true;
    await this.input.read();
    this.isReading = false;
    this.work.report(this.input);
  };

  private choose(): Next {
    const { context, pace } = this;
    const { givenUp, batches, scans } = context;
    const unsent = givenUp === undefined ? undefined : batches.next(true);
    // The service would reject this prompt as it rejected the first prompts.
    if (givenUp !== undefined && unsent !== undefined) return () => leaveUnsent(context, unsent, givenUp);
    const pauseMs = pace.delay();
    const request = pauseMs > 0 ? undefined : this.nextRequest();
    if (request !== undefined) {
      pace.start();
      return request;
    }
    if (this.wantsInput()) return this.read;
    if (pauseMs > 0 && batches.waiting() > 0) return pauseMs;
    const pollAt = scans.nextAt();
    return pollAt === undefined ? undefined : Math.max(pauseMs, pollAt - this.tools.clock.elapsed());
  }

  private nextRequest(): Next {
    const { context, input } = this;
    const due = context.scans.due(context.idsPerPoll);
    if (due.length > 0) return () => poll(context, due);
    const isFew = input.count < FEW;
    // Only at the end of the input is it certain that there are few prompts.
    if ((isFew && !input.isOver) || this.pending().length >= this.maxScans) return undefined;
    const isLast = input.isOver || !(this.isReading || this.wantsInput());
    const batch = context.batches.next(isLast, isFew ? 1 : undefined);
    const [first] = batch ?? [];
    if (batch === undefined || first === undefined) return undefined;
    return isFew ? () => scanAlone(context, batch, first) : () => submit(context, batch);
  }

  private wantsInput(): boolean {
    const { input, pace, maxScans } = this;
    const { output, options } = this.work;
    const { batches } = this.context;
    if (this.isReading || input.isOver) return false;
    // The mode depends on the number of prompts, so read the first prompts before sending any request.
    if (input.count < FEW) return true;
    if (output.held > READ_AHEAD_CHARACTERS) return false;
    if (batches.waiting() >= READ_AHEAD * pace.concurrency() * batches.size()) return false;
    // Limit the read-ahead, so that rows do not accumulate behind a slow row.
    return input.count - output.missing() < READ_AHEAD * maxScans * options.batchSize;
  }
}
