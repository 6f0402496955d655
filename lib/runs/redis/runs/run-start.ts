/** Queues a run: run and job are created together or not at all, and never after the caller got a refusal. */
import { createIORedisClient, type IRedisTransaction, Job, type Queue } from 'bullmq';
import type { ChainableCommander } from 'ioredis';
import { QuotaError } from '../../../core/errors.ts';
import { type Run, TenantQueueFullError } from '../../port.ts';
import { redisTime } from '../connection/clock.ts';
import { KEEP_SECONDS, keyOf, STOPS } from '../connection/names.ts';
import type { RedisLink } from '../connection/redis.ts';
import { takeTurn, waitingCount } from '../turns.ts';
import { ownerName } from './accepted-runs.ts';
import type { NewRun, RunJob, RunStore } from './run-store.ts';

/** Time within which Redis may accept a start, in milliseconds. Shorter than the caller's wait. */
const START_MS = 1200;
/** Time between two attempts to withdraw a refused start, in milliseconds. */
const WITHDRAW_MS = 500;

interface Refused {
  readonly queue: Queue<RunJob>;
  readonly run: Run;
  readonly tenant: string;
}

export class RunStarter {
  readonly #client: RedisLink['client'];
  readonly #store: RunStore;
  readonly #maxQueued: number;
  readonly #refused = new Map<string, Refused>();
  #timer: NodeJS.Timeout | undefined;

  /** @param maxQueued maximum queued runs of a tenant */
  constructor({ client }: RedisLink, store: RunStore, maxQueued: number) {
    this.#client = client;
    this.#store = store;
    this.#maxQueued = maxQueued;
  }

  /**
   * @param left time until the caller gets a refusal, in milliseconds
   * @throws QuotaError if its token has too many waiting runs, BusyError if its tenant has, and Redis errors
   */
  async start(queue: Queue<RunJob>, created: Omit<NewRun, 'job' | 'deadline'>, left: () => number): Promise<void> {
    const { run, tenant } = created;
    const deadline = (await redisTime(this.#client)) + START_MS;
    if ((await waitingCount(queue)) >= this.#maxQueued) throw new TenantQueueFullError();
    checkTime(left);
    try {
      await this.#store.accept(created);
      checkTime(left);
      await this.#send(queue, { ...created, job: queue.toKey(run.id), deadline });
      checkTime(left);
    } catch (thrown) {
      if (thrown instanceof QuotaError) throw thrown;
      this.#refused.set(run.id, { queue, run, tenant });
      if (this.#timer === undefined) this.#withdrawAll();
      throw thrown;
    }
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #send(queue: Queue<RunJob>, created: NewRun): Promise<void> {
    const { id, owner } = created.run;
    await queue.waitUntilReady();
    const priority = await takeTurn(this.#client, queue, created.tenant, ownerName(owner.caller));
    const job = new Job<RunJob>(queue, 'run', { id }, { jobId: id, removeOnComplete: true, priority }, id);
    // BullMQ's client type lacks some commands.
    const transaction = createIORedisClient(this.#client).multi() as unknown as IRedisTransaction & ChainableCommander;
    await job.addJob(transaction);
    transaction.eval(...this.#store.creation(created));
    const results = await transaction.exec();
    const failed = results?.find(([error]) => error !== null)?.[0];
    if (failed !== undefined && failed !== null) throw failed;
    if (results?.at(-1)?.[1] !== 1) throw late();
  }

  #withdrawAll(): void {
    this.#timer = undefined;
    const all = [...this.#refused.values()].map((each) => this.#withdraw(each).catch(() => undefined));
    void Promise.all(all).then(() => {
      if (this.#refused.size > 0) this.#timer ??= setTimeout(() => this.#withdrawAll(), WITHDRAW_MS).unref();
    });
  }

  /** Withdraws a run whose start may have reached Redis although its reply did not arrive. */
  async #withdraw({ queue, run, tenant }: Refused): Promise<void> {
    if (!(await this.#store.withdraw(run, tenant))) {
      await this.#client.set(keyOf.stopped(run.id), '1', 'EX', KEEP_SECONDS);
      await this.#client.publish(STOPS, run.id);
    }
    await (await queue.getJob(run.id))?.remove().catch(() => undefined);
    this.#refused.delete(run.id);
  }
}

function checkTime(left: () => number): void {
  if (left() <= 0) throw late();
}

function late(): Error {
  return new Error('the start came too late');
}
