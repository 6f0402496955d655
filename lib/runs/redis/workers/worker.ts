/**
 * Takes jobs from a queue, and tracks a worker's current jobs. A job's outcome says when it returns to the queue, so
 * that no other module needs BullMQ's own errors.
 */
import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import { type Kind, keyOf, PREFIX, queueName, STOPS } from '../connection/names.ts';
import type { RedisLink } from '../connection/redis.ts';
import { isPoisoned } from '../connection/redis-error.ts';
import { takeLaterTurn } from '../turns.ts';

/** Time until a dead worker's job goes to another worker, and between two checks for such jobs, in milliseconds. */
const [LOCK_MS, STALLED_MS] = [10_000, 5000];
/** Time until a job that this worker cannot do is retried, in milliseconds. */
export const HOLD_MS = 3000;
/** Pause after an error, in milliseconds. */
const REST_MS = 1000;
/** Maximum number of workers that may die on a job before it is set aside. */
const MAX_DEATHS = 5;

/** Outcome of processing a job. */
export type JobOutcome =
  | 'done'
  /** The job returns to the queue, for any worker. `data` replaces the job's data. */
  | { readonly againInMs: number; readonly data?: object };

export interface JobHandlers<Data> {
  /** @throws Error to retry the job, or to set it aside after the last attempt */
  process(data: Data): Promise<JobOutcome>;
  /** Called when a job is set aside. */
  onAside(data: Data, reason: string): Promise<void>;
}

export interface WorkerSetup<Data> {
  readonly handlers: JobHandlers<Data>;
  readonly link: RedisLink;
  readonly kind: Kind;
  readonly tenant: string;
  readonly slots: number;
  /** Milliseconds since the epoch, by the clock that all workers share. */
  readonly now: () => number;
}

/** Closing the worker stops it from taking jobs, and waits for its current jobs. */
export type QueueWorker = Pick<Worker, 'close'>;

/** Starts taking jobs. */
export function startWorker<Data extends object>(setup: WorkerSetup<Data>): QueueWorker {
  const { link, kind, tenant, slots, now, handlers } = setup;
  const perform = async (job: Job<Data>, token?: string) => {
    const outcome = await handlers.process(job.data).catch((thrown: unknown) => {
      if (!isPoisoned(thrown)) throw thrown;
      throw new UnrecoverableError(thrown.message);
    });
    if (outcome === 'done') return;
    if (outcome.data !== undefined) await job.updateData(outcome.data as Data);
    await takeLaterTurn(link.client, worker, job);
    await job.moveToDelayed(Math.ceil(now()) + Math.max(0, Math.ceil(outcome.againInMs)), token);
    throw new DelayedError();
  };
  const worker = new Worker<Data>(queueName(kind, tenant), perform, {
    connection: link.client,
    prefix: PREFIX,
    concurrency: slots,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_MS,
    maxStalledCount: MAX_DEATHS,
  });
  worker.on('error', () => {
    // The connection tries again by itself, and a job without its lock goes to another worker. BullMQ retries a refused
    // command without a pause, for example after a right was revoked.
    if (worker.isPaused()) return;
    void worker.pause(true);
    setTimeout(() => void worker.resume(), REST_MS).unref();
  });
  worker.on('failed', (job, error) => {
    const isLast =
      job !== undefined &&
      (error instanceof UnrecoverableError ||
        job.finishedOn !== undefined ||
        job.attemptsMade >= (job.opts.attempts ?? 1));
    if (isLast) void handlers.onAside(job.data, error.message).catch(() => undefined);
  });
  return worker;
}

interface Entry {
  readonly kind: Kind;
  readonly id: string;
  readonly controller: AbortController;
}

export class CurrentJobs {
  readonly #all = new Set<Entry>();
  readonly #halted = new Set<Kind>();

  /**
   * Adds a job.
   * @param id id of the scan or run; stopping the scan or run stops the job
   * @returns the job's signal, and a function that removes the job
   */
  add(kind: Kind, id: string): { readonly signal: AbortSignal; done(): void } {
    const entry = { kind, id, controller: new AbortController() };
    this.#all.add(entry);
    if (this.#halted.has(kind)) entry.controller.abort();
    return { signal: entry.controller.signal, done: () => void this.#all.delete(entry) };
  }

  /** Stops all jobs of a scan or a run. */
  stop(id: string): void {
    this.#abort((entry) => entry.id === id);
  }

  /** Stops all jobs of a kind, because the worker is shutting down. */
  halt(kind: Kind): void {
    this.#halted.add(kind);
    this.#abort((entry) => entry.kind === kind);
  }

  /** Reports whether the worker is shutting down: stopped jobs continue elsewhere. */
  isHalted(kind: Kind): boolean {
    return this.#halted.has(kind);
  }

  ids(): readonly string[] {
    return [...new Set([...this.#all].map(({ id }) => id))];
  }

  counts(): Readonly<Record<Kind, number>> {
    const count = (kind: Kind) => [...this.#all].filter((entry) => entry.kind === kind).length;
    return { shards: count('shards'), runs: count('runs') };
  }

  #abort(isMeant: (entry: Entry) => boolean): void {
    for (const entry of this.#all) if (isMeant(entry)) entry.controller.abort();
  }
}

export interface Stops {
  /** Checks for stop requests whose message was lost. */
  look(): Promise<void>;
  close(): void;
}

/** Listens for stops. */
export async function listenForStops(link: RedisLink, current: CurrentJobs): Promise<Stops> {
  const subscriber = await link.subscriber();
  subscriber.on('message', (_, id: string) => current.stop(id));
  await subscriber.subscribe(STOPS);
  return {
    look: async () => {
      for (const id of current.ids()) {
        if ((await link.client.exists(keyOf.stopped(id))) > 0) current.stop(id);
      }
    },
    close: () => subscriber.disconnect(),
  };
}
