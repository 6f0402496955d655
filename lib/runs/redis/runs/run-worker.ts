/**
 * Performs runs at a worker. A run that waits for its job releases its worker: its checkpoint is stored in the queued
 * job, and any worker continues it.
 */

import { CancelledError, ConfigurationError, toAisecError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import type { Suspension } from '../../../runtime/output/result.ts';
import {
  hasEnded,
  type Run,
  type RunContext,
  type RunOutcome,
  type RunOwner,
  type RunRequest,
  stateAfter,
} from '../../port.ts';
import { keyOf } from '../connection/names.ts';
import type { RedisLink } from '../connection/redis.ts';
import { type Seal, UnreadableError } from '../connection/seal.ts';
import { type CurrentJobs, HOLD_MS, type JobHandlers, type JobOutcome } from '../workers/worker.ts';
import { otherService } from '../workers/workers.ts';
import { Attempted, ENDED, isDoubtful, lostRun, newAttempt } from './accepted-runs.ts';
import type { RunJob, RunStore, StoredRequest } from './run-store.ts';

/** Time for a run, in milliseconds: a red-team scan may take a day. */
const MAX_MS = 86_400_000;
/** Minimum time between two events of progress, in milliseconds. */
const PROGRESS_MS = 100;

/** State that a slice passes to the next slice, as plain JSON. */
export type Saved = Readonly<Record<string, unknown>>;

/** The end of a slice of a run that waits for its job. */
export interface Waiting extends Pick<Suspension, 'waitMs' | 'progress' | 'hasNewProgress'> {
  readonly saved: Saved;
}

/** Performs a whole run, or one slice of it. @throws AisecError */
export type PerformSlice = (
  request: RunRequest,
  owner: RunOwner,
  context: RunContext,
  saved: Saved | undefined,
) => Promise<RunOutcome | Waiting>;

export interface RunProcessorParts {
  readonly link: RedisLink;
  readonly seal: Seal;
  readonly store: RunStore;
  readonly clock: Clock;
  readonly current: CurrentJobs;
  /** Identity of the tenant. */
  readonly tenant: string;
  /**
   * Returns the section of the settings file for a run of the tenant.
   * @throws ConfigurationError if no section can be chosen
   */
  readonly sectionOf: (label: string) => string;
  /** Whether the worker uses the simulated service. */
  readonly simulates: boolean;
  readonly performSlice: PerformSlice;
  /** Loads the declaration of a run's command; undefined if the command is unknown. */
  readonly commandOf: (request: RunRequest) => Promise<Command | undefined>;
  /** Reports whether a run may be repeated even if it may already have been carried out. */
  readonly isRepeatable: (request: RunRequest, command: Command | undefined) => boolean;
  readonly warn: (message: string) => void;
}

interface Opened extends StoredRequest {
  readonly section: string;
  readonly run: Run;
  readonly saved: Saved | undefined;
}

export class RunProcessor implements JobHandlers<RunJob> {
  readonly #parts: RunProcessorParts;
  readonly #attempted = new Attempted();

  constructor(parts: RunProcessorParts) {
    this.#parts = parts;
  }

  async process({ id, checkpoint }: RunJob): Promise<JobOutcome> {
    const { tenant, warn } = this.#parts;
    let opened: Opened | undefined;
    try {
      opened = await this.#open(id, checkpoint);
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError) || thrown instanceof UnreadableError) throw thrown;
      warn(`The run ${id} waits: ${thrown.message} ${thrown.hint ?? ''}`);
      return { againInMs: HOLD_MS };
    }
    if (opened === undefined) return 'done';
    if (opened.owner.identity !== tenant) {
      warn(`The run ${id} was put on the queue of another tenant, and was not carried out.`);
      return 'done';
    }
    if (this.#parts.current.isHalted('runs')) return { againInMs: 0 };
    return this.#attempt(opened);
  }

  async onAside({ id, checkpoint }: RunJob, reason: string): Promise<void> {
    const { store, tenant, warn } = this.#parts;
    warn(`The run ${id} was set aside: ${reason}`);
    const [run, attempt] = await Promise.all([store.find(id), store.attempt(id)]);
    if (run === undefined || attempt === ENDED || hasEnded(run) || run.owner.identity !== tenant) return;
    if (isDoubtful(attempt, checkpoint !== undefined)) await store.doubt(run, attempt, reason);
    else await store.end(this.#ended(run, { state: 'failed', error: lostRun(run, reason).toJSON() }), attempt, true);
  }

  /** Reads a run. @returns undefined if there is nothing left to do */
  async #open(id: string, sealed: string | undefined): Promise<Opened | undefined> {
    const { store, seal, sectionOf } = this.#parts;
    const [run, stored] = await Promise.all([store.find(id), store.request(id)]);
    if (run === undefined || stored === undefined || hasEnded(run)) return undefined;
    const text = sealed === undefined ? undefined : seal.open(id, Buffer.from(sealed, 'base64'));
    const saved = text === undefined ? undefined : (JSON.parse(text) as Saved);
    return { run, saved, section: sectionOf(stored.label), ...stored };
  }

  /** Takes on a run, unless it has ended, was stopped, or may have been carried out by a lost attempt. */
  async #attempt(opened: Opened): Promise<JobOutcome> {
    const { store, link, clock, simulates } = this.#parts;
    const { run, saved } = opened;
    const command = await this.#parts.commandOf(opened.work);
    const isRepeatable = this.#parts.isRepeatable(opened.work, command);
    const seen = await store.attempt(run.id);
    if (seen === ENDED) return 'done';
    const isLost = saved === undefined && !isRepeatable && (run.state === 'running' || this.#attempted.has(run.id));
    if (isLost || isDoubtful(seen, saved !== undefined)) {
      await store.doubt(run, seen, 'the worker ended');
      return 'done';
    }
    if ((await link.client.exists(keyOf.stopped(run.id))) > 0) {
      return this.#end(run, seen, { state: 'stopped', error: new CancelledError('Stopped.').toJSON() });
    }
    if (opened.simulates !== simulates) {
      return this.#end(run, seen, { state: 'failed', error: otherService(simulates).toJSON() });
    }
    const attempt = newAttempt(isRepeatable);
    const isNew = run.state === 'queued';
    const begun: Run = isNew ? { ...run, state: 'running', started: new Date(clock.now()).toISOString() } : run;
    this.#attempted.add(run.id);
    if (!(await store.begin(run.id, seen, attempt, isNew ? begun : undefined))) return 'done';
    return this.#perform({ ...opened, run: begun, command }, attempt, saved !== undefined || isRepeatable);
  }

  /** @param mayContinue another worker may continue after this worker has ended */
  async #perform(
    opened: Opened & Pick<RunContext, 'command'>,
    attempt: string,
    mayContinue: boolean,
  ): Promise<JobOutcome> {
    const { current, performSlice } = this.#parts;
    const { run, work: request, saved, section, command } = opened;
    // The worker chooses its own section, whatever the stored run says.
    const owner: RunOwner = { ...opened.owner, tenant: section };
    const { signal, done } = current.add('runs', run.id);
    const context = { ...this.#contextOf(run.id, attempt, signal), command };
    const outcome = await performSlice(request, owner, context, saved)
      .catch((thrown: unknown) => ({ thrown }))
      .finally(done);
    if ('saved' in outcome) return this.#suspend(run.id, attempt, outcome);
    if ('result' in outcome) {
      const state = outcome.partial ? 'partial' : 'succeeded';
      return this.#end(run, attempt, { state, result: outcome.result });
    }
    const error = toAisecError(outcome.thrown);
    const isHalted = error instanceof CancelledError && current.isHalted('runs');
    if (isHalted && mayContinue && !error.outcomeUnknown) return { againInMs: 0 };
    return this.#end(run, attempt, { state: stateAfter(error), error: error.toJSON() });
  }

  /** Releases the worker. */
  async #suspend(id: string, attempt: string, { saved, progress, hasNewProgress, waitMs }: Waiting) {
    const { store, seal } = this.#parts;
    if (hasNewProgress) await store.progress(id, attempt, progress);
    const checkpoint = seal.seal(id, JSON.stringify(saved)).toString('base64');
    return { againInMs: waitMs, data: { id, checkpoint } satisfies RunJob };
  }

  async #end(run: Run, attempt: string, values: Partial<Run>): Promise<JobOutcome> {
    await this.#parts.store.end(this.#ended(run, values), attempt);
    return 'done';
  }

  #ended(run: Run, values: Partial<Run>): Run {
    return { ...run, ...values, ended: new Date(this.#parts.clock.now()).toISOString() };
  }

  #contextOf(id: string, attempt: string, signal: AbortSignal): RunContext {
    const { store, clock } = this.#parts;
    let last = Number.NEGATIVE_INFINITY;
    const quietly = (written: Promise<unknown>) => void written.catch(() => undefined);
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
}
