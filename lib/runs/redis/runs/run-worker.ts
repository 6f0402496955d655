/** Does runs at a worker. One that waits for its job gives its worker back: its checkpoint goes into the job, and comes back on any worker. */
import { CancelledError, ConfigurationError, toAisecError } from '../../../engine/errors.ts';
import type { Clock } from '../../../engine/ports.ts';
import type { Suspension } from '../../../engine/result.ts';
import {
  hasEnded,
  type Run,
  type RunOwner,
  type RunWork,
  stateAfter,
  type WorkOutcome,
  type WorkReports,
} from '../../port.ts';
import { keyOf } from '../connection/names.ts';
import type { RedisLink } from '../connection/redis.ts';
import { type Seal, UnreadableError } from '../connection/seal.ts';
import type { Current } from '../workers/current.ts';
import { otherService } from '../workers/other-service.ts';
import { HOLD_MS, type JobHandlers, type JobOutcome } from '../workers/worker.ts';
import { type Attempted, ENDED, isDoubtful, lostRun, newAttempt, newAttempted } from './run-attempt.ts';
import type { RunJob, RunStore, StoredWork } from './run-store.ts';

/** Time for a run, in milliseconds: a red-team scan may take a day. */
const MAX_MS = 86_400_000;
/** Least time between two events of progress, in milliseconds. */
const PROGRESS_MS = 100;

/** What a slice leaves to the next one, as plain JSON. */
export type Saved = Readonly<Record<string, unknown>>;

/** The end of a slice of a run that waits for its job. */
export interface Waiting extends Pick<Suspension, 'waitMs' | 'progress' | 'hasNewProgress'> {
  readonly saved: Saved;
}

/** Does all of a run, or as much as one slice allows. @throws AisecError */
export type DoSlice = (
  work: RunWork,
  owner: RunOwner,
  reports: WorkReports,
  saved: Saved | undefined,
) => Promise<WorkOutcome | Waiting>;

export interface RunWorkerParts {
  readonly link: RedisLink;
  readonly seal: Seal;
  readonly store: RunStore;
  readonly clock: Clock;
  readonly current: Current;
  /** Identity of the tenant. */
  readonly tenant: string;
  /** Returns the section of the settings file for work of the tenant. @throws ConfigurationError if none can be chosen */
  readonly sectionOf: (label: string) => string;
  /** It works on the simulated service. */
  readonly simulates: boolean;
  readonly doSlice: DoSlice;
  /** Tells whether work may be done once more, although it may have been done. */
  readonly isRepeatable: (work: RunWork) => Promise<boolean>;
  readonly warn: (message: string) => void;
}

/** Creates what processes runs. */
export function runProcessor(parts: RunWorkerParts): JobHandlers<RunJob> {
  const { store, warn } = parts;
  const attempted = newAttempted();
  return {
    process: async ({ id, checkpoint }) => {
      let opened: Opened | undefined;
      try {
        opened = await open(parts, id, checkpoint);
      } catch (thrown) {
        if (!(thrown instanceof ConfigurationError) || thrown instanceof UnreadableError) throw thrown;
        warn(`The run ${id} waits: ${thrown.message} ${thrown.hint ?? ''}`);
        return { againInMs: HOLD_MS };
      }
      if (opened === undefined) return 'done';
      if (opened.owner.identity !== parts.tenant) {
        warn(`The run ${id} was put on the queue of another tenant, and was not carried out.`);
        return 'done';
      }
      return perform(parts, opened, attempted);
    },
    onAside: async ({ id, checkpoint }, reason) => {
      warn(`The run ${id} was set aside: ${reason}`);
      const [run, attempt] = await Promise.all([store.find(id), store.attempt(id)]);
      if (run === undefined || attempt === ENDED || hasEnded(run) || run.owner.identity !== parts.tenant) return;
      if (isDoubtful(attempt, checkpoint !== undefined)) return void (await doubt(parts, run, attempt, reason));
      const ended = new Date(parts.clock.now()).toISOString();
      await store.end({ ...run, state: 'failed', error: lostRun(run, reason).toJSON(), ended }, attempt, true);
    },
  };
}

interface Opened extends StoredWork {
  readonly section: string;
  readonly run: Run;
  readonly saved: Saved | undefined;
}

/** Reads a run. @returns undefined if there is nothing left to do */
async function open({ store, seal, sectionOf }: RunWorkerParts, id: string, sealed: string | undefined) {
  const [run, stored] = await Promise.all([store.find(id), store.work(id)]);
  if (run === undefined || stored === undefined || hasEnded(run)) return undefined;
  const saved = sealed === undefined ? undefined : (JSON.parse(seal.open(id, Buffer.from(sealed, 'base64'))) as Saved);
  return { run, saved, section: sectionOf(stored.label), ...stored };
}

async function perform(parts: RunWorkerParts, opened: Opened, attempted: Attempted): Promise<JobOutcome> {
  const { store, link, clock, current, simulates } = parts;
  const { work, saved, section, owner: stored, run } = opened;
  // The worker decides about its section, not what was written into the run.
  const owner: RunOwner = { ...stored, tenant: section };
  if (current.isHalted('runs')) return { againInMs: 0 };
  const isRepeatable = await parts.isRepeatable(work);
  const seen = await store.attempt(run.id);
  if (seen === ENDED) return 'done';
  const isLost = saved === undefined && !isRepeatable && (run.state === 'running' || attempted.has(run.id));
  if (isLost || isDoubtful(seen, saved !== undefined)) return doubt(parts, run, seen, 'the worker ended');
  if ((await link.client.exists(keyOf.stopped(run.id))) > 0) {
    return end(parts, run, seen, { state: 'stopped', error: new CancelledError('Stopped.').toJSON() });
  }
  if (opened.simulates !== simulates) {
    return end(parts, run, seen, { state: 'failed', error: otherService(simulates).toJSON() });
  }
  const attempt = newAttempt(isRepeatable);
  const started: Run = { ...run, state: 'running', started: new Date(clock.now()).toISOString() };
  const begun = run.state === 'queued' ? started : run;
  attempted.add(run.id);
  if (!(await store.begin(run.id, seen, attempt, begun === run ? undefined : begun))) return 'done';
  const { signal, done } = current.add('runs', run.id);
  const outcome = await parts
    .doSlice(work, owner, reportsOf(parts, run.id, attempt, signal), saved)
    .catch((thrown: unknown) => ({ thrown }))
    .finally(done);
  if ('saved' in outcome) return waiting(parts, run.id, attempt, outcome);
  if ('result' in outcome) {
    return end(parts, begun, attempt, { state: outcome.partial ? 'partial' : 'succeeded', result: outcome.result });
  }
  const error = toAisecError(outcome.thrown);
  const mayGoOn = !error.outcomeUnknown && (saved !== undefined || isRepeatable);
  if (error instanceof CancelledError && current.isHalted('runs') && mayGoOn) return { againInMs: 0 };
  return end(parts, begun, attempt, { state: stateAfter(error), error: error.toJSON() });
}

/** Leaves the end of a run to the attempt that was lost: it alone knows the outcome. */
async function doubt({ store }: RunWorkerParts, run: Run, attempt: string, why: string): Promise<JobOutcome> {
  await store.doubt({ ...run, state: 'unknown', error: lostRun(run, why).toJSON() }, attempt);
  return 'done';
}

/** Gives the worker back. */
async function waiting(
  { store, seal }: RunWorkerParts,
  id: string,
  attempt: string,
  { saved, progress, hasNewProgress, waitMs }: Waiting,
) {
  if (hasNewProgress) await store.progress(id, attempt, progress);
  const checkpoint = seal.seal(id, JSON.stringify(saved)).toString('base64');
  return { againInMs: waitMs, data: { id, checkpoint } satisfies RunJob };
}

async function end({ store, clock }: RunWorkerParts, run: Run, attempt: string, values: Partial<Run>) {
  await store.end({ ...run, ...values, ended: new Date(clock.now()).toISOString() }, attempt);
  return 'done' as const;
}

function reportsOf({ store, clock }: RunWorkerParts, id: string, attempt: string, signal: AbortSignal): WorkReports {
  let last = Number.NEGATIVE_INFINITY;
  const quietly = (work: Promise<unknown>) => void work.catch(() => undefined);
  return {
    signal,
    timeoutMs: MAX_MS,
    onProgress: (line) => {
      if (clock.elapsed() - last < PROGRESS_MS) return;
      last = clock.elapsed();
      quietly(store.progress(id, attempt, line));
    },
    onTask: (task) => quietly(store.event(id, attempt, 'task', task)),
  };
}
