/** Does runs at a worker. One that waits for its job gives its worker back: its checkpoint goes into the job, and comes back on any worker. */
import { CancelledError, ConfigurationError, ServiceError, toAisecError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import type { Suspension } from '../result.ts';
import { hasEnded, type Run, type RunOwner, type RunWork, type WorkOutcome, type WorkReports } from '../runs/port.ts';
import { documentOf } from '../runs/problem.ts';
import type { Current } from './current.ts';
import { keyOf } from './names.ts';
import { otherService } from './other-service.ts';
import type { RedisLink } from './redis.ts';
import type { RunStore, StoredWork } from './run-store.ts';
import type { RunJob } from './runs.ts';
import type { Seal } from './seal.ts';
import { HOLD_MS, type JobHandlers, type JobOutcome } from './worker.ts';

/** Time for a run, in milliseconds: a red-team scan may take a day. */
const LONGEST_MS = 86_400_000;
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
  return {
    process: async ({ id, checkpoint }) => {
      let opened: Opened | undefined;
      try {
        opened = await open(parts, id, checkpoint);
      } catch (thrown) {
        if (!(thrown instanceof ConfigurationError)) throw thrown;
        warn(`The run ${id} waits: ${thrown.message} ${thrown.hint ?? ''}`);
        return { againInMs: HOLD_MS };
      }
      if (opened === undefined) return 'done';
      if (opened.owner.identity !== parts.tenant) {
        warn(`The run ${id} was put on the queue of another tenant, and was not carried out.`);
        return 'done';
      }
      return perform(parts, opened);
    },
    onAside: async ({ id }, reason) => {
      warn(`The run ${id} was set aside: ${reason}`);
      const run = await store.find(id);
      if (run === undefined || hasEnded(run) || run.owner.identity !== parts.tenant) return;
      const problem = documentOf(lost(run, reason));
      await store.end({ ...run, state: 'failed', problem, ended: new Date(parts.clock.now()).toISOString() }, true);
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

async function perform(parts: RunWorkerParts, opened: Opened): Promise<JobOutcome> {
  const { store, link, clock, current, simulates } = parts;
  const { work, saved, section, owner: stored } = opened;
  let { run } = opened;
  // The worker decides about its section, not what was written into the run.
  const owner: RunOwner = { ...stored, tenant: section };
  if (current.isHalted('runs')) return { againInMs: 0 };
  if ((await link.client.exists(keyOf.stopped(run.id))) > 0) {
    return end(parts, run, { state: 'stopped', problem: documentOf(new CancelledError('Stopped.')) });
  }
  if (opened.simulates !== simulates) {
    return end(parts, run, { state: 'failed', problem: documentOf(otherService(simulates)) });
  }
  if (run.state === 'running' && saved === undefined && !(await parts.isRepeatable(work))) {
    return end(parts, run, { state: 'failed', problem: documentOf(lost(run, 'the worker ended')) });
  }
  if (run.state === 'queued') {
    run = { ...run, state: 'running', started: new Date(clock.now()).toISOString() };
    await store.begin(run);
  }
  const { signal, done } = current.add('runs', run.id);
  const outcome = await parts
    .doSlice(work, owner, reportsOf(parts, run.id, signal), saved)
    .catch((thrown: unknown) => ({ thrown }))
    .finally(done);
  if ('saved' in outcome) return waiting(parts, run, outcome);
  if ('result' in outcome) {
    return end(parts, run, { state: outcome.partial ? 'partial' : 'succeeded', result: outcome.result });
  }
  const isStopped = toAisecError(outcome.thrown) instanceof CancelledError;
  const mayGoOn = saved !== undefined || (await parts.isRepeatable(work));
  if (isStopped && current.isHalted('runs') && mayGoOn) return { againInMs: 0 };
  return end(parts, run, { state: isStopped ? 'stopped' : 'failed', problem: documentOf(outcome.thrown) });
}

/** Gives the worker back. */
async function waiting(
  { store, seal }: RunWorkerParts,
  { id }: Run,
  { saved, progress, hasNewProgress, waitMs }: Waiting,
) {
  if (hasNewProgress) await store.progress(id, progress);
  const checkpoint = seal.seal(id, JSON.stringify(saved)).toString('base64');
  return { againInMs: waitMs, data: { id, checkpoint } satisfies RunJob };
}

async function end({ store, clock }: RunWorkerParts, run: Run, values: Partial<Run>): Promise<JobOutcome> {
  await store.end({ ...run, ...values, ended: new Date(clock.now()).toISOString() });
  return 'done';
}

function lost({ command }: Run, why: string): ServiceError {
  return new ServiceError(`A worker was lost while it ran ${command} (${why.slice(0, 200)}).`, {
    hint: 'Whether it was carried out is unknown: look before you start it again.',
  });
}

function reportsOf({ store, clock }: RunWorkerParts, id: string, signal: AbortSignal): WorkReports {
  let last = Number.NEGATIVE_INFINITY;
  const quietly = (work: Promise<unknown>) => void work.catch(() => undefined);
  return {
    signal,
    timeoutMs: LONGEST_MS,
    onProgress: (line) => {
      if (clock.elapsed() - last < PROGRESS_MS) return;
      last = clock.elapsed();
      quietly(store.progress(id, line));
    },
    onTask: (task) => quietly(store.event(id, 'task', task)),
  };
}
