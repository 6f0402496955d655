/** Runs through the queue: they outlive the process that started them, and any worker of the tenant does them. */
import { randomBytes } from 'node:crypto';
import { type Job, Queue } from 'bullmq';
import { CancelledError, ConfigurationError } from '../../../engine/errors.ts';
import type { Clock } from '../../../engine/ports.ts';
import { hasEnded, newRun, type Run, type Runs, type RunWork } from '../../port.ts';
import type { QueueOptions } from '../connection/address.ts';
import { openBells } from '../connection/bells.ts';
import { KEEP_SECONDS, keyOf, PREFIX, queueName, STOPS } from '../connection/names.ts';
import { checkPersistence } from '../connection/persistence.ts';
import type { RedisLink } from '../connection/redis.ts';
import { unavailable } from '../connection/redis-error.ts';
import type { Seal } from '../connection/seal.ts';
import { within } from '../connection/within.ts';
import { openQueue } from '../queue.ts';
import { announceTenant, seenTenants } from '../workers/tenants.ts';
import { listWorkers } from '../workers/workers.ts';
import { ENDED, isDoubtful, lostRun } from './run-attempt.ts';
import { runStarter } from './run-start.ts';
import { type RunJob, runStore } from './run-store.ts';

/** Runs of one tenant that may wait. */
const MAX_QUEUED = 10_000;
/** Time for an answer, in milliseconds: callers and probes do not wait for a Redis that is away. */
const ANSWER_MS = 1900;
/** Time between two looks for events that no message has announced, in milliseconds. */
const LOOK_MS = 5000;

export interface QueueRunsOptions {
  readonly link: RedisLink;
  readonly seal: Seal;
  /** Runs of this process: what needs its files and sessions. */
  readonly local: Runs;
  /** Tells whether work must be done in this process. */
  readonly isLocal: (work: RunWork) => Promise<boolean>;
  readonly clock: Pick<Clock, 'now'>;
  /** The runs are meant for the simulated service. */
  readonly simulates: boolean;
  /** The section of the settings file that the runs of the start belong to. */
  readonly profile: string;
  /** Returns the identity of the tenant behind a section; empty: that of the start. @throws ConfigurationError */
  readonly identityOf: (tenant: string) => Promise<string>;
  /** Default: 10,000 for each tenant. */
  readonly mostQueued?: number;
}

/** Connects, and creates the runs; the connection ends with them. @throws ConfigurationError or NetworkError */
export async function openQueuedRuns(
  address: QueueOptions,
  options: Omit<QueueRunsOptions, 'link' | 'seal'> & {
    readonly warn: (message: string) => void;
    readonly strict: boolean;
  },
): Promise<Runs> {
  const { link, seal, close } = await openQueue(address, 'refuses');
  const open = async () => {
    await checkPersistence(link, options.strict, options.warn);
    return queueRuns({ ...options, link, seal });
  };
  const runs = await open().catch(async (thrown: unknown) => {
    await close();
    throw thrown;
  });
  return {
    ...runs,
    close: async (graceMs) => {
      try {
        await runs.close(graceMs);
      } finally {
        await close();
      }
    },
  };
}

/** Creates the runs. */
export async function queueRuns(options: QueueRunsOptions): Promise<Runs> {
  const { link, seal, local, isLocal, clock, simulates, profile, identityOf, mostQueued = MAX_QUEUED } = options;
  const { client } = link;
  const store = runStore(client, seal);
  const bells = await openBells(link);
  const queues = new Map<string, Queue<RunJob>>();
  const queueOf = (tenant: string) => {
    const name = queueName('runs', tenant);
    const found = queues.get(name) ?? new Queue<RunJob>(name, { connection: client, prefix: PREFIX });
    if (!queues.has(name)) found.on('error', ignore);
    queues.set(name, found);
    return found;
  };
  const starter = runStarter(link, store, mostQueued);
  const asked = async <T>(work: (left: () => number) => Promise<T>): Promise<T> => {
    try {
      if (link.awayMs() > 0) throw new Error('away');
      return await within(ANSWER_MS, work);
    } catch (thrown) {
      throw unavailable(thrown, link.name);
    }
  };

  /** Finds a run, unless another process started it for another tenant under the same name. */
  const find = async (id: string): Promise<Run | undefined> => {
    const run = await store.find(id);
    return run !== undefined && (await isOwn(run, identityOf)) ? run : undefined;
  };

  const stop = async (run: Run) => {
    await client.set(keyOf.stopped(run.id), '1', 'EX', KEEP_SECONDS);
    await client.publish(STOPS, run.id);
    const job = await queueOf(run.owner.identity ?? '').getJob(run.id);
    const isRemoved = await job?.remove().then(
      () => true,
      () => false,
    );
    // A worker that has it ends it.
    if (isRemoved !== true) return;
    await endStopped(run, job?.data.checkpoint !== undefined);
  };

  /** Ends a run whose job was taken back, unless its outcome depends on an attempt that was lost. */
  const endStopped = async (run: Run, hasCheckpoint: boolean): Promise<void> => {
    const attempt = await store.attempt(run.id);
    if (attempt === ENDED) return;
    if (isDoubtful(attempt, hasCheckpoint)) {
      await store.doubt({ ...run, state: 'unknown', error: lostRun(run, 'it was stopped').toJSON() }, attempt);
      return;
    }
    const began = run.started !== null;
    const error = new CancelledError(began ? 'Stopped.' : 'Stopped before it began.', {
      hint: began ? 'What it had started at the service goes on there.' : 'Nothing was sent.',
    });
    const ended = new Date(clock.now()).toISOString();
    await store.end({ ...run, state: 'stopped', ended, error: error.toJSON() }, attempt);
  };

  async function* follow(id: string, after: number, signal: AbortSignal) {
    const bell = await asked(() => bells.listen(keyOf.bell(id)));
    try {
      let seen = after;
      while (!signal.aborted) {
        const { rung } = bell.next();
        // The run comes first: its last state is written together with its last event.
        const run = await asked(() => find(id));
        if (run === undefined) return;
        const events = await asked(() => store.events(id, seen));
        for (const event of events) {
          yield event;
          seen = event.id;
          if (event.event === 'end') return;
        }
        if (events.length > 0) continue;
        if (hasEnded(run)) return;
        await untilRung(rung, signal);
      }
    } finally {
      bell.close();
    }
  }

  return {
    start: async (owner, work) =>
      (await isLocal(work))
        ? local.start(owner, work)
        : asked(async (left) => {
            const tenant = await identityOf(owner.tenant);
            const label = owner.tenant === '' ? profile : owner.tenant;
            const created = new Date(clock.now()).toISOString();
            const run = newRun(randomBytes(12).toString('hex'), { ...owner, identity: tenant }, work, created);
            await announceTenant(client, { identity: tenant, label });
            await starter.start(queueOf(tenant), { run, tenant, work: { work, simulates, label } }, left);
            return run;
          }),
    find: async (id) => (await local.find(id)) ?? asked(() => find(id)),
    list: (tenant, caller) =>
      asked(async () => {
        const kept = (await store.list(await identityOf(tenant), caller))
          .map((run) => (run.state === 'unreadable' ? { ...run, owner: { ...run.owner, tenant } } : run))
          .filter(({ owner }) => owner.tenant === tenant);
        const runs = [...(await local.list(tenant, caller)), ...kept];
        return runs.toSorted((one, other) => Date.parse(other.created) - Date.parse(one.created));
      }),
    stop: async (id) => {
      await local.stop(id);
      await asked(async () => {
        const run = await find(id);
        if (run !== undefined && !hasEnded(run)) await stop(run);
      });
    },
    remove: async (id) => {
      await local.remove(id);
      await asked(async () => {
        const run = await find(id);
        if (run !== undefined && hasEnded(run)) await store.remove(id, run.owner.identity ?? '');
      });
    },
    events: (id, after, signal) => local.events(id, after, signal) ?? follow(id, after, signal),
    counts: () =>
      asked(async () => {
        const own = await local.counts();
        const all = (await seenTenants(client)).map(queueOf);
        const counts = await Promise.all(all.map((queue) => queue.getJobCounts('waiting', 'active', 'delayed')));
        // A list that a stranger has written to names jobs that do not exist.
        const oldest: (Job<RunJob> | undefined)[] = (
          await Promise.all(all.map((queue) => queue.getWaiting(0, 0)))
        ).flat();
        const since = oldest.reduce((least, job) => Math.min(least, job?.timestamp ?? least), clock.now());
        const sum = (name: string) => counts.reduce((total, each) => total + (each[name] ?? 0), 0);
        return {
          queued: own.queued + sum('waiting'),
          running: own.running + sum('active') + sum('delayed'),
          oldestMs: Math.max(own.oldestMs, clock.now() - since),
          workers: (await listWorkers(client)).length,
        };
      }),
    problem: async () => {
      try {
        await asked(() => client.ping());
        return undefined;
      } catch {
        return 'queue';
      }
    },
    close: async (graceMs) => {
      await local.close(graceMs);
      starter.close();
      bells.close();
      await within(ANSWER_MS, () => Promise.all([...queues.values()].map((queue) => queue.close()))).catch(ignore);
    },
  };
}

/** Reports whether a run belongs to the tenant that its section names here. */
async function isOwn({ owner }: Run, identityOf: QueueRunsOptions['identityOf']): Promise<boolean> {
  try {
    return owner.identity === (await identityOf(owner.tenant));
  } catch (thrown) {
    // Its section is missing or invalid here.
    if (thrown instanceof ConfigurationError) return false;
    throw thrown;
  }
}

async function untilRung(rung: Promise<void>, signal: AbortSignal): Promise<void> {
  let leave: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
    timer = setTimeout(resolve, LOOK_MS);
    signal.addEventListener('abort', leave, { once: true });
  });
  await Promise.race([rung, left]);
  clearTimeout(timer);
  if (leave !== undefined) signal.removeEventListener('abort', leave);
}

function ignore(): void {
  // The connection tries again by itself.
}
