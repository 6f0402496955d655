/**
 * Performs runs through the queue: runs outlive the process that started them, and any worker of the tenant can perform
 * them.
 */
import { randomBytes } from 'node:crypto';
import type { Queue } from 'bullmq';
import { CancelledError, ConfigurationError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import {
  hasEnded,
  newRun,
  type Run,
  type RunCounts,
  type RunEvent,
  type RunOwner,
  type RunRequest,
  type Runs,
} from '../../port.ts';
import { Bells, rungWithin } from '../connection/bells.ts';
import { within } from '../connection/clock.ts';
import { KEEP_SECONDS, keyOf, STOPS } from '../connection/names.ts';
import { jobQueue, type RedisLink } from '../connection/redis.ts';
import { unavailable } from '../connection/redis-error.ts';
import type { Seal } from '../connection/seal.ts';
import { checkPersistence, openQueue, type QueueOptions } from '../queue.ts';
import { waitingSince } from '../turns.ts';
import { announceTenant, seenTenants } from '../workers/tenants.ts';
import { listWorkers } from '../workers/workers.ts';
import { ENDED, isDoubtful } from './accepted-runs.ts';
import { RunStarter } from './run-start.ts';
import { type RunJob, RunStore } from './run-store.ts';

/** Maximum queued runs of one tenant. */
const MAX_QUEUED = 10_000;
/** Time limit for an answer, in milliseconds: callers and probes do not wait while Redis is down. */
const ANSWER_MS = 1900;
/** Time between two checks for events whose announcement was lost, in milliseconds. */
const LOOK_MS = 5000;

export interface QueuedRunsOptions {
  readonly link: RedisLink;
  readonly seal: Seal;
  /** Performs runs that must stay in this process, because they need the process's files and sessions. */
  readonly local: Runs;
  /** Reports whether a run must be performed in this process. */
  readonly isLocal: (request: RunRequest, command: Command | undefined) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the runs are meant for the simulated service. */
  readonly simulates: boolean;
  /** The settings section of the process's default tenant. */
  readonly profile: string;
  /**
   * Returns the identity of the tenant behind a section; an empty name means the default tenant.
   * @throws ConfigurationError
   */
  readonly identityOf: (tenant: string) => Promise<string>;
  /** Default: 10,000 for each tenant. */
  readonly maxQueued?: number;
  /** Closes the connection when the runs are closed. Default: it stays open. */
  readonly closeLink?: () => Promise<void>;
}

/** Connects, and creates the runs; closing them closes the connection. @throws ConfigurationError or NetworkError */
export async function connectQueuedRuns(
  address: QueueOptions,
  options: Omit<QueuedRunsOptions, 'link' | 'seal' | 'closeLink'> & {
    readonly warn: (message: string) => void;
    readonly strict: boolean;
  },
): Promise<Runs> {
  const { link, seal, close } = await openQueue(address, 'refuses', options.warn);
  try {
    await checkPersistence(link, options.strict, options.warn);
    return await QueuedRuns.open({ ...options, link, seal, closeLink: close });
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

export class QueuedRuns implements Runs {
  readonly #options: QueuedRunsOptions;
  readonly #link: RedisLink;
  readonly #local: Runs;
  readonly #store: RunStore;
  readonly #starter: RunStarter;
  readonly #bells: Bells;
  readonly #queues = new Map<string, Queue<RunJob>>();

  private constructor(options: QueuedRunsOptions, bells: Bells) {
    const { link, seal, local, maxQueued = MAX_QUEUED } = options;
    this.#options = options;
    this.#link = link;
    this.#local = local;
    this.#store = new RunStore(link.client, seal);
    this.#starter = new RunStarter(link, this.#store, maxQueued);
    this.#bells = bells;
  }

  /** Creates the runs over a connection. */
  static async open(options: QueuedRunsOptions): Promise<QueuedRuns> {
    return new QueuedRuns(options, await Bells.open(options.link));
  }

  async start(owner: RunOwner, request: RunRequest, command?: Command): Promise<Run> {
    const { isLocal, identityOf, profile, simulates, clock } = this.#options;
    if (isLocal(request, command)) return this.#local.start(owner, request, command);
    return this.#answer(async (left) => {
      const tenant = await identityOf(owner.tenant);
      const label = owner.tenant === '' ? profile : owner.tenant;
      const created = new Date(clock.now()).toISOString();
      const run = newRun(randomBytes(12).toString('hex'), { ...owner, identity: tenant }, request, created);
      await announceTenant(this.#link.client, { identity: tenant, label });
      await this.#starter.start(
        this.#queueOf(tenant),
        { run, tenant, work: { work: request, simulates, label } },
        left,
      );
      return run;
    });
  }

  async find(id: string): Promise<Run | undefined> {
    return (await this.#local.find(id)) ?? this.#answer(() => this.#findOwn(id));
  }

  list(tenant: string, caller?: string): Promise<readonly Run[]> {
    return this.#answer(async () => {
      const kept = (await this.#store.list(await this.#options.identityOf(tenant), caller))
        .map((run) => (run.state === 'unreadable' ? { ...run, owner: { ...run.owner, tenant } } : run))
        .filter(({ owner }) => owner.tenant === tenant);
      const runs = [...(await this.#local.list(tenant, caller)), ...kept];
      return runs.toSorted((one, other) => Date.parse(other.created) - Date.parse(one.created));
    });
  }

  async stop(id: string): Promise<void> {
    await this.#local.stop(id);
    await this.#answer(async () => {
      const run = await this.#findOwn(id);
      if (run !== undefined && !hasEnded(run)) await this.#stop(run);
    });
  }

  async remove(id: string): Promise<void> {
    await this.#local.remove(id);
    await this.#answer(async () => {
      const run = await this.#findOwn(id);
      if (run !== undefined && hasEnded(run)) await this.#store.remove(id, run.owner.identity ?? '');
    });
  }

  events(id: string, after: number, signal: AbortSignal): AsyncIterable<RunEvent> {
    return this.#local.events(id, after, signal) ?? this.#follow(id, after, signal);
  }

  counts(): Promise<RunCounts> {
    return this.#answer(async () => {
      const own = await this.#local.counts();
      const now = this.#options.clock.now();
      const queues = (await seenTenants(this.#link.client)).map((tenant) => this.#queueOf(tenant));
      const counts = await Promise.all(
        queues.map((queue) => queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed')),
      );
      const oldest = await Promise.all(queues.map((queue) => waitingSince(this.#link, queue)));
      const since = oldest.reduce<number>((least, each) => Math.min(least, each ?? least), now);
      const sum = (name: string) => counts.reduce((total, each) => total + (each[name] ?? 0), 0);
      return {
        queued: own.queued + sum('waiting') + sum('prioritized'),
        running: own.running + sum('active') + sum('delayed'),
        oldestMs: Math.max(own.oldestMs, now - since),
        workers: (await listWorkers(this.#link.client)).length,
      };
    });
  }

  async problem(): Promise<string | undefined> {
    const found = await this.#answer(() => this.#link.trouble()).catch(String);
    return found === undefined ? undefined : 'queue';
  }

  async close(graceMs: number): Promise<void> {
    try {
      await this.#local.close(graceMs);
      this.#starter.close();
      this.#bells.close();
      const queues = [...this.#queues.values()];
      await within(ANSWER_MS, () => Promise.all(queues.map((queue) => queue.close()))).catch(() => undefined);
    } finally {
      await this.#options.closeLink?.();
    }
  }

  /** Finds a run, unless another process started it for another tenant of the same name. */
  async #findOwn(id: string): Promise<Run | undefined> {
    const run = await this.#store.find(id);
    return run !== undefined && (await this.#isOwn(run)) ? run : undefined;
  }

  /** Reports whether a run belongs to the tenant that its section names in this process. */
  async #isOwn({ owner }: Run): Promise<boolean> {
    try {
      return owner.identity === (await this.#options.identityOf(owner.tenant));
    } catch (thrown) {
      // The section is missing or invalid in this process.
      if (thrown instanceof ConfigurationError) return false;
      throw thrown;
    }
  }

  async #stop(run: Run): Promise<void> {
    await this.#link.client.set(keyOf.stopped(run.id), '1', 'EX', KEEP_SECONDS);
    await this.#link.client.publish(STOPS, run.id);
    const job = await this.#queueOf(run.owner.identity ?? '').getJob(run.id);
    const isRemoved = await job?.remove().then(
      () => true,
      () => false,
    );
    // If the job cannot be removed, the worker that holds it ends the run.
    if (isRemoved === true) await this.#endStopped(run, job?.data.checkpoint !== undefined);
  }

  /** Ends a run whose job was removed, unless its outcome depends on a lost attempt. */
  async #endStopped(run: Run, hasCheckpoint: boolean): Promise<void> {
    const attempt = await this.#store.attempt(run.id);
    if (attempt === ENDED) return;
    if (isDoubtful(attempt, hasCheckpoint)) {
      await this.#store.doubt(run, attempt, 'it was stopped');
      return;
    }
    const began = run.started !== null;
    const error = new CancelledError(began ? 'Stopped.' : 'Stopped before it began.', {
      hint: began ? 'Work that it started at the service continues there.' : 'Nothing was sent.',
    });
    const ended = new Date(this.#options.clock.now()).toISOString();
    await this.#store.end({ ...run, state: 'stopped', ended, error: error.toJSON() }, attempt);
  }

  async *#follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const bell = await this.#answer(() => this.#bells.listen(keyOf.bell(id)));
    try {
      let seen = after;
      while (!signal.aborted) {
        const ring = bell.next();
        // Read the run first: its last state is written together with its last event.
        const run = await this.#answer(() => this.#findOwn(id));
        if (run === undefined) return;
        const events = await this.#answer(() => this.#store.events(id, seen));
        for (const event of events) {
          yield event;
          seen = event.id;
          if (event.event === 'end') return;
        }
        if (events.length > 0) continue;
        if (hasEnded(run)) return;
        await rungWithin(ring, LOOK_MS, signal);
      }
    } finally {
      bell.close();
    }
  }

  #queueOf(tenant: string): Queue<RunJob> {
    const queue = this.#queues.get(tenant) ?? jobQueue<RunJob>(this.#link, 'runs', tenant);
    this.#queues.set(tenant, queue);
    return queue;
  }

  /** Waits for an answer up to a time limit. @throws BusyError if Redis does not answer in time */
  async #answer<T>(ask: (left: () => number) => Promise<T>): Promise<T> {
    try {
      if (this.#link.awayMs() > 0) throw new Error('away');
      return await within(ANSWER_MS, ask);
    } catch (thrown) {
      throw unavailable(thrown, this.#link.name);
    }
  }
}
