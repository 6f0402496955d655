/** The scheduler of a bulk scan: chooses the next task until no task is left. */
import type { RunFacts } from '../../../lib/bulk/end.ts';
import { Pace } from '../../../lib/bulk/pace.ts';
import type { Next } from '../../../lib/bulk/run-pool.ts';
import { type AisecError, CancelledError } from '../../../lib/core/errors.ts';
import type { Clock } from '../../../lib/core/ports.ts';
import type { Tools } from '../../../lib/engine/command.ts';
import { createBatches } from './batches.ts';
import { LIMITS, type Subject } from './calls.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { type Input, openInput, type Source } from './input.ts';
import type { Notes } from './journal.ts';
import type { Output } from './output.ts';
import { leaveUnsent, poll, type RunContext, scanAlone, submit } from './requests.ts';
import type { Restored } from './restored.ts';
import type { Row } from './rows.ts';
import { openScans, type Scan } from './scans.ts';
import { type GuardedService, guardService } from './service-guard.ts';

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

/** Input and output of a run. */
export interface RunIo {
  readonly source: Source;
  readonly restored: Restored;
  readonly notes: Notes;
  readonly output: Output;
  /** Reports progress. */
  readonly report: (input: Pick<Input, 'count' | 'isOver'>) => void;
}

export interface Run {
  /** Facts about the run for the end of the results. */
  facts(): RunFacts;
  /** Rows of prompts that may have been scanned more than once, one entry for each extra scan. */
  again(): readonly number[];
  /** Whether the simulated service responded; undefined before the first response. */
  simulated(): boolean | undefined;
  next(): Next;
  concurrency(): number;
  /** Whether every prompt has a row. */
  isComplete(): boolean;
  /** Number of prompts read. */
  prompts(): number;
  /** Scans that the service has not finished. */
  pending(): readonly Scan[];
  batchSize(): number;
  /** Moves the deadline. @param deadline by the clock's elapsed time */
  extend(deadline: number): void;
  /** Sends nothing more: every prompt without a verdict gets a row with this error. */
  giveUp(error: AisecError): Promise<void>;
  /** Closes the resources of the run. */
  close(): Promise<void>;
}

/** Fewer prompts than this are scanned synchronously, one by one. */
export const FEW = 10;
/** Maximum number of unfinished scans for each concurrent request. */
const SCANS_PER_REQUEST = 16;
/** Read-ahead limits: a multiple of the prompts in flight, and a number of characters. */
const [READ_AHEAD, READ_AHEAD_CHARACTERS] = [2, 16_000_000];

type RunTools = Pick<Tools, 'api' | 'clock' | 'cancelled' | 'deadline'>;

export function createRun(options: RunOptions, tools: RunTools, io: RunIo): Run {
  const { clock } = tools;
  let { deadline } = tools;
  const scheduler = openScheduler(options, tools, io);
  const { context, pace, input } = scheduler;
  return {
    facts: () => ({
      profile: options.subject.profile_name,
      simulated: scheduler.guard.simulated() === true,
      repeated_scans: context.again.length,
    }),
    again: () => context.again,
    simulated: scheduler.guard.simulated,
    next: () => {
      if (tools.cancelled()) throw new CancelledError('Stopped.');
      const leftMs = deadline === undefined ? Number.POSITIVE_INFINITY : deadline - clock.elapsed();
      const chosen = leftMs > 0 ? choose(scheduler, clock) : lastReading(scheduler);
      return typeof chosen === 'number' ? Math.min(chosen, leftMs) : chosen;
    },
    concurrency: pace.concurrency,
    isComplete: () => input.isOver() && context.batches.waiting() === 0 && context.scans.all().length === 0,
    prompts: input.count,
    pending: context.scans.all,
    batchSize: context.batches.size,
    extend: (later) => {
      deadline = later;
    },
    giveUp: async (error) => {
      // Only reading is left, which takes no requests.
      deadline = undefined;
      context.givenUp = error;
      for (const scan of context.scans.all()) await context.settle(context.scans.lost(scan, error, 'timed_out'));
    },
    close: async () => undefined,
  };
}

/** State of a running scan. */
interface Scheduler {
  readonly options: RunOptions;
  readonly context: RunContext;
  readonly pace: Pace;
  readonly input: Input;
  readonly output: Output;
  readonly guard: GuardedService;
  isReading: boolean;
  read(): Promise<void>;
}

function openScheduler(
  options: RunOptions,
  { api, clock }: RunTools,
  { source, restored, notes, output, report }: RunIo,
): Scheduler {
  const pace = new Pace({ clock, maxConcurrency: options.concurrency, perSecond: options.perSecond });
  const scans = openScans(clock);
  const batches = createBatches(options.batchSize);
  const input = openInput(source.column, restored, {
    output,
    scan: batches.push,
    resumeScan: ({ scan, since }, prompts) => scans.resumeScan(scan, prompts, since),
  });
  const settle = async (rows: readonly Row[]) => {
    for (const row of rows) output.place(row);
    await output.flush();
    report(input);
  };
  const breaker = createCircuitBreaker(pace, clock);
  const guard = guardService(api, restored, notes);
  const context: RunContext = {
    ...{ subject: options.subject, api: guard, batches, scans, breaker, notes, settle },
    attempts: new Map(),
    again: [...restored.again, ...restored.uncertain],
    idsPerPoll: LIMITS.scanIds,
  };
  const scheduler: Scheduler = {
    ...{ options, context, pace, input, output, guard },
    isReading: false,
    read: async () => {
      scheduler.isReading = true;
      await input.read();
      scheduler.isReading = false;
      report(input);
    },
  };
  return scheduler;
}

// State of an earlier slice is passed on only after the prompt is read.
function lastReading({ input, isReading, read }: Scheduler): Next {
  return input.isBehind() && !isReading ? read : undefined;
}

function choose(scheduler: Scheduler, clock: Pick<Clock, 'elapsed'>): Next {
  const { context, pace } = scheduler;
  const unsent = nextUnsent(context);
  if (unsent !== undefined) return unsent;
  const pauseMs = pace.delay();
  const request = pauseMs > 0 ? undefined : nextRequest(scheduler);
  if (request !== undefined) {
    pace.start();
    return request;
  }
  if (wantsInput(scheduler)) return scheduler.read;
  if (pauseMs > 0 && context.batches.waiting() > 0) return pauseMs;
  const pollAt = context.scans.nextAt();
  return pollAt === undefined ? undefined : Math.max(pauseMs, pollAt - clock.elapsed());
}

/** Takes a batch that the service would refuse like the first ones. */
function nextUnsent(context: RunContext): Next {
  const reason = context.givenUp ?? context.breaker.refusal();
  const batch = reason === undefined ? undefined : context.batches.next(true);
  return reason === undefined || batch === undefined ? undefined : () => leaveUnsent(context, batch, reason);
}

function nextRequest(scheduler: Scheduler): Next {
  const { context } = scheduler;
  const due = context.scans.due(context.idsPerPoll);
  return due.length > 0 ? () => poll(context, due) : nextBatch(scheduler);
}

function nextBatch(scheduler: Scheduler): Next {
  const { context, input } = scheduler;
  const isFew = input.count() < FEW;
  // The number of prompts is known to be small only at the end of the input.
  if (isFew && !input.isOver()) return undefined;
  if (context.scans.all().length >= maxScans(scheduler)) return undefined;
  const isLast = input.isOver() || !(scheduler.isReading || wantsInput(scheduler));
  const batch = context.batches.next(isLast, isFew ? 1 : undefined);
  const [first] = batch?.prompts ?? [];
  if (batch === undefined || first === undefined) return undefined;
  return isFew ? () => scanAlone(context, batch, first) : () => submit(context, batch);
}

function maxScans({ options }: Scheduler): number {
  return options.concurrency * SCANS_PER_REQUEST;
}

function wantsInput(scheduler: Scheduler): boolean {
  const { context, pace, input, output, isReading, options } = scheduler;
  if (isReading || input.isOver()) return false;
  // The mode depends on the number of prompts, so the first ones are read before any request.
  if (input.count() < FEW) return true;
  if (output.held() > READ_AHEAD_CHARACTERS) return false;
  if (context.batches.waiting() >= READ_AHEAD * pace.concurrency() * context.batches.size()) return false;
  // Limits the read-ahead, so that rows do not accumulate behind a slow one.
  return input.count() - output.missing() < READ_AHEAD * maxScans(scheduler) * options.batchSize;
}
