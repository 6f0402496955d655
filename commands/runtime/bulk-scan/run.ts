/** The course of a bulk scan: what to do next, as long as there is something to do. */

import type { RunFacts } from '../../../lib/bulk/end.ts';
import { createPace, type Pace } from '../../../lib/bulk/pace.ts';
import type { Next } from '../../../lib/bulk/run-pool.ts';
import type { Tools } from '../../../lib/command.ts';
import { CancelledError } from '../../../lib/errors.ts';
import type { Clock } from '../../../lib/ports.ts';
import { type Answering, watchAnswers } from './answers.ts';
import { createBatches } from './batches.ts';
import { LIMITS, type Subject } from './calls.ts';
import { createPatience } from './circuit-breaker.ts';
import { type Input, openInput, type Source } from './input.ts';
import type { Notes, Restored } from './journal.ts';
import type { Output } from './output.ts';
import { type Desk, look, scanAlone, submit } from './requests.ts';
import type { Row } from './rows.ts';
import { openScans, type Scan } from './scans.ts';

export interface Plan {
  readonly subject: Subject;
  /** Most prompts in one batch. */
  readonly batchSize: number;
  /** Most requests under way together. */
  readonly concurrency: number;
  readonly perSecond: number | undefined;
}

/** What a run works on, and where it leaves what it finds. */
export interface Place {
  readonly source: Source;
  readonly restored: Restored;
  readonly notes: Notes;
  readonly output: Output;
  /** Something was handed on. @param prompts how many were read */
  readonly report: (prompts: number) => void;
}

export interface Run {
  /** What the end of the results says of the run. */
  facts(): RunFacts;
  /** Rows of prompts that may have been scanned once too often, each as often as that. */
  again(): readonly number[];
  /** Did the simulated service answer? Undefined before the first answer. */
  simulated(): boolean | undefined;
  next(): Next;
  lanes(): number;
  /** Every prompt has a row. */
  isComplete(): boolean;
  /** Prompts that were read. */
  prompts(): number;
  /** Scans that the service has not finished. */
  pending(): readonly Scan[];
  batchSize(): number;
}

/** Fewer prompts than these are scanned one by one: the verdict comes with the answer. */
export const FEW = 10;
/** For each request that may be under way, so many scans may be unfinished. */
const SCANS_PER_LANE = 16;
/** Prompts are read ahead: so many times those that are under way, or so many characters of them. */
const [AHEAD, AHEAD_CHARACTERS] = [2, 16_000_000];

type RunTools = Pick<Tools, 'api' | 'clock' | 'cancelled' | 'until'>;

export function createRun(plan: Plan, tools: RunTools, place: Place): Run {
  const { clock, until } = tools;
  const course = openCourse(plan, tools, place);
  const { desk, pace, input } = course;
  return {
    facts: () => ({
      profile: plan.subject.profile_name,
      simulated: course.answering.simulated() === true,
      repeated_scans: desk.again.length,
    }),
    again: () => desk.again,
    simulated: course.answering.simulated,
    next: () => {
      if (tools.cancelled()) throw new CancelledError('Stopped.');
      const leftMs = until === undefined ? Number.POSITIVE_INFINITY : until - clock.elapsed();
      const chosen = leftMs > 0 ? choose(course, clock) : lastReading(course);
      return typeof chosen === 'number' ? Math.min(chosen, leftMs) : chosen;
    },
    lanes: pace.lanes,
    isComplete: () => input.isOver() && desk.batches.waiting() === 0 && desk.scans.all().length === 0,
    prompts: input.count,
    pending: desk.scans.all,
    batchSize: desk.batches.size,
  };
}

/** A run while it goes on. */
interface Course {
  readonly plan: Plan;
  readonly desk: Desk;
  readonly pace: Pace;
  readonly input: Input;
  readonly output: Output;
  readonly answering: Answering;
  isReading: boolean;
  read(): Promise<void>;
}

function openCourse(plan: Plan, { api, clock }: RunTools, { source, restored, notes, output, report }: Place): Course {
  const pace = createPace({ clock, most: plan.concurrency, perSecond: plan.perSecond });
  const scans = openScans(clock);
  const batches = createBatches(plan.batchSize);
  const input = openInput(source.column, restored, {
    output,
    scan: batches.push,
    goOn: ({ scan, since }, prompts) => scans.goOn(scan, prompts, since),
  });
  const settle = async (rows: readonly Row[]) => {
    for (const row of rows) output.place(row);
    await output.flush();
    report(input.count());
  };
  const patience = createPatience(pace, clock);
  const answering = watchAnswers(api, restored, notes);
  const desk: Desk = {
    ...{ subject: plan.subject, api: answering, batches, scans, patience, notes, settle },
    tries: new Map(),
    again: [...restored.again, ...restored.uncertain],
    idsPerLook: LIMITS.scanIds,
  };
  const course: Course = {
    ...{ plan, desk, pace, input, output, answering },
    isReading: false,
    read: async () => {
      course.isReading = true;
      await input.read();
      course.isReading = false;
      report(input.count());
    },
  };
  return course;
}

// What an earlier slice knew of a prompt is passed on only when the prompt was read.
function lastReading({ input, isReading, read }: Course): Next {
  return input.isBehind() && !isReading ? read : undefined;
}

function choose(course: Course, clock: Pick<Clock, 'elapsed'>): Next {
  const { desk, pace } = course;
  const pauseMs = pace.delay();
  const request = pauseMs > 0 ? undefined : nextRequest(course);
  if (request !== undefined) {
    pace.start();
    return request;
  }
  if (wantsInput(course)) return course.read;
  if (pauseMs > 0 && desk.batches.waiting() > 0) return pauseMs;
  const lookAt = desk.scans.nextAt();
  return lookAt === undefined ? undefined : Math.max(pauseMs, lookAt - clock.elapsed());
}

function nextRequest(course: Course): Next {
  const { desk } = course;
  const due = desk.scans.due(desk.idsPerLook);
  return due.length > 0 ? () => look(desk, due) : nextBatch(course);
}

function nextBatch(course: Course): Next {
  const { desk, input } = course;
  const isFew = input.count() < FEW;
  // Whether there are few prompts is known when there are many, or no more.
  if (isFew && !input.isOver()) return undefined;
  if (desk.scans.all().length >= mostScans(course)) return undefined;
  const isLast = input.isOver() || !(course.isReading || wantsInput(course));
  const batch = desk.batches.next(isLast, isFew ? 1 : undefined);
  const [first] = batch?.prompts ?? [];
  if (batch === undefined || first === undefined) return undefined;
  return isFew ? () => scanAlone(desk, batch, first) : () => submit(desk, batch);
}

function mostScans({ plan }: Course): number {
  return plan.concurrency * SCANS_PER_LANE;
}

function wantsInput(course: Course): boolean {
  const { desk, pace, input, output, isReading, plan } = course;
  if (isReading || input.isOver()) return false;
  // Nothing is sent before it is known whether there are few.
  if (input.count() < FEW) return true;
  if (output.held() > AHEAD_CHARACTERS) return false;
  if (desk.batches.waiting() >= AHEAD * pace.lanes() * desk.batches.size()) return false;
  // A row that is long in coming must not make those behind it pile up.
  return input.count() - output.missing() < AHEAD * mostScans(course) * plan.batchSize;
}
