/** Does runs. One that waits for its job gives its worker back: its checkpoint goes into the job, and comes back on any worker. */
import { findCommand } from '../../command.ts';
import { CancelledError, ConfigurationError, ServiceError, toAisecError } from '../../errors.ts';
import type { CommandResult } from '../../library/result.ts';
import { keyOf } from '../../queue/names.ts';
import type { StoredWork } from '../../queue/run-store.ts';
import type { RunJob } from '../../queue/runs.ts';
import type { JobHandlers, JobOutcome } from '../../queue/worker.ts';
import { hasEnded, type Run, type RunOwner, type RunWork, type WorkReports } from '../../runs/port.ts';
import { documentOf } from '../../runs/problem.ts';
import { outcomeOf, runCommand } from '../../runs/work.ts';
import type { Checkpoint } from '../../runtime.ts';
import { HOLD_MS, otherService, type ProcessorParts } from './parts.ts';

/** Time after which a job gives its worker back, in milliseconds. */
const SLICE_MS = 5000;
/** Time for a run, in milliseconds: a red-team scan may take a day. */
const LONGEST_MS = 86_400_000;
/** Least time between two events of progress, in milliseconds. */
const PROGRESS_MS = 100;

/** What a run needs to go on. */
interface Saved {
  readonly checkpoint: Checkpoint;
  /** What the first slice has put out. */
  readonly outputs: CommandResult['outputs'];
}

/** Creates what processes runs. */
export function runProcessor(parts: ProcessorParts): JobHandlers<RunJob> {
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
      return opened === undefined ? 'done' : perform(parts, opened);
    },
    onAside: async ({ id }, reason) => {
      warn(`The run ${id} was set aside: ${reason}`);
      const run = await store.find(id);
      if (run === undefined || hasEnded(run)) return;
      const problem = documentOf(lost(run, reason));
      await store.end({ ...run, state: 'failed', problem, ended: new Date(parts.clock.now()).toISOString() }, true);
    },
  };
}

interface Opened extends StoredWork {
  readonly run: Run;
  readonly saved: Saved | undefined;
}

/** Reads a run. @returns undefined if there is nothing left to do */
async function open({ store, seal }: ProcessorParts, id: string, sealed: string | undefined) {
  const [run, stored] = await Promise.all([store.find(id), store.work(id)]);
  if (run === undefined || stored === undefined || hasEnded(run)) return undefined;
  const saved = sealed === undefined ? undefined : (JSON.parse(seal.open(id, Buffer.from(sealed, 'base64'))) as Saved);
  return { run, saved, ...stored };
}

async function perform(parts: ProcessorParts, opened: Opened): Promise<JobOutcome> {
  const { store, link, clock, current, tenant, simulates } = parts;
  const { work, saved, owner: stored } = opened;
  let { run } = opened;
  // The queue decides about the tenant, not what was written into the run.
  const owner: RunOwner = { ...stored, tenant };
  if (current.isHalted('runs')) return { againInMs: 0 };
  if ((await link.client.exists(keyOf.stopped(run.id))) > 0) {
    return end(parts, run, { state: 'stopped', problem: documentOf(new CancelledError('Stopped.')) });
  }
  if (opened.simulates !== simulates) {
    return end(parts, run, { state: 'failed', problem: documentOf(otherService(simulates)) });
  }
  if (run.state === 'running' && saved === undefined && !(await isRepeatable(parts, work))) {
    return end(parts, run, { state: 'failed', problem: documentOf(lost(run, 'the worker ended')) });
  }
  if (run.state === 'queued') {
    run = { ...run, state: 'running', started: new Date(clock.now()).toISOString() };
    await store.write(run);
    await store.event(run.id, 'state', run);
  }
  const { signal, done } = current.add('runs', run.id);
  const reports = reportsOf(parts, run.id, signal);
  try {
    return await slice(parts, { work, owner, saved, reports, run });
  } catch (thrown) {
    const isStopped = toAisecError(thrown) instanceof CancelledError;
    if (isStopped && current.isHalted('runs') && (saved !== undefined || (await isRepeatable(parts, work)))) {
      return { againInMs: 0 };
    }
    return await end(parts, run, { state: isStopped ? 'stopped' : 'failed', problem: documentOf(thrown) });
  } finally {
    done();
  }
}

interface SliceOptions {
  readonly work: RunWork;
  readonly owner: RunOwner;
  readonly saved: Saved | undefined;
  readonly reports: WorkReports;
  readonly run: Run;
}

/** Does all of a run, or as much as one slice allows. */
async function slice(parts: ProcessorParts, { work, owner, saved, reports, run }: SliceOptions) {
  const { tenants, clock, seal, store } = parts;
  if (work.kind !== 'command') throw new ServiceError('A worker does commands, not sessions or playbooks.');
  const checkpoint = saved === undefined ? {} : { checkpoint: saved.checkpoint };
  const timeSlice = { deadline: clock.elapsed() + SLICE_MS, ...checkpoint };
  const result = await runCommand(tenants, work, owner, reports, { timeSlice, clock });
  const outputs = { ...saved?.outputs, ...result.outputs };
  const { suspension } = result;
  if (suspension === undefined) {
    const outcome = outcomeOf(tenants, owner, { ...result, outputs });
    const state = outcome.partial ? 'partial' : 'succeeded';
    return end(parts, run, { state, result: outcome.result });
  }
  if (suspension.hasNewProgress) await store.progress(run.id, suspension.progress);
  const next: Saved = { checkpoint: suspension.checkpoint, outputs };
  const sealed = seal.seal(run.id, JSON.stringify(next)).toString('base64');
  return { againInMs: suspension.waitMs, data: { id: run.id, checkpoint: sealed } satisfies RunJob };
}

async function end({ store, clock }: ProcessorParts, run: Run, values: Partial<Run>): Promise<JobOutcome> {
  await store.end({ ...run, ...values, ended: new Date(clock.now()).toISOString() });
  return 'done';
}

/** Tells whether work may be done once more, although it may have been done. */
async function isRepeatable({ registry }: ProcessorParts, work: RunWork): Promise<boolean> {
  if (work.dryRun) return true;
  if (work.kind !== 'command') return false;
  return (await findCommand(registry, work.command))?.effect === 'read';
}

function lost({ command }: Run, why: string): ServiceError {
  return new ServiceError(`A worker was lost while it ran ${command} (${why.slice(0, 200)}).`, {
    hint: 'Whether it was carried out is unknown: look before you start it again.',
  });
}

function reportsOf({ store, clock }: ProcessorParts, id: string, signal: AbortSignal): WorkReports {
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
