/** Puts a run on the queue: run and job come to be together or not at all, and never after the caller was refused. */
import { createIORedisClient, type IRedisTransaction, Job, type Queue } from 'bullmq';
import type { ChainableCommander } from 'ioredis';
import { QuotaError } from '../../../engine/errors.ts';
import { type Run, TenantQueueFullError } from '../../port.ts';
import { KEEP_SECONDS, keyOf, STOPS } from '../connection/names.ts';
import type { RedisLink } from '../connection/redis.ts';
import type { NewRun, RunJob, RunStore } from './run-store.ts';

/** Time for which Redis may accept a start, in milliseconds. Less than the caller waits. */
const START_MS = 1200;
/** Time between two attempts to take back what was refused, in milliseconds. */
const WITHDRAW_MS = 500;

export interface Starter {
  /** @param left time until the caller is refused, in milliseconds @throws QuotaError if its token has too much work waiting, BusyError if too many wait, and the errors of Redis */
  start(queue: Queue<RunJob>, created: Omit<NewRun, 'job' | 'deadline'>, left: () => number): Promise<void>;
  close(): void;
}

interface Refused {
  readonly queue: Queue<RunJob>;
  readonly run: Run;
  readonly tenant: string;
}

/** Creates what starts runs. @param mostQueued runs of a tenant that may wait */
export function runStarter({ client }: RedisLink, store: RunStore, mostQueued: number): Starter {
  const refused = new Map<string, Refused>();
  let timer: NodeJS.Timeout | undefined;

  /** Takes a run back whose start may have reached Redis although its reply did not come. */
  const withdraw = async ({ queue, run, tenant }: Refused) => {
    if (!(await store.withdraw(run, tenant))) {
      await client.set(keyOf.stopped(run.id), '1', 'EX', KEEP_SECONDS);
      await client.publish(STOPS, run.id);
    }
    await (await queue.getJob(run.id))?.remove().catch(() => undefined);
    refused.delete(run.id);
  };
  const withdrawAll = () => {
    timer = undefined;
    const all = [...refused.values()].map((each) => withdraw(each).catch(() => undefined));
    void Promise.all(all).then(() => {
      if (refused.size > 0) timer ??= setTimeout(withdrawAll, WITHDRAW_MS).unref();
    });
  };

  const send = async (queue: Queue<RunJob>, created: NewRun) => {
    const { id } = created.run;
    const job = new Job<RunJob>(queue, 'run', { id }, { jobId: id, removeOnComplete: true }, id);
    await queue.waitUntilReady();
    // BullMQ declares fewer commands of it than it has.
    const transaction = createIORedisClient(client).multi() as unknown as IRedisTransaction & ChainableCommander;
    await job.addJob(transaction);
    transaction.eval(...store.creation(created));
    const results = await transaction.exec();
    const failed = results?.find(([error]) => error !== null)?.[0];
    if (failed !== undefined && failed !== null) throw failed;
    if (results?.at(-1)?.[1] !== 1) throw late();
  };

  return {
    start: async (queue, created, left) => {
      const { run, tenant } = created;
      const [seconds, microseconds] = (await client.time()).map(Number);
      const deadline = (seconds ?? 0) * 1000 + (microseconds ?? 0) / 1000 + START_MS;
      if ((await queue.getWaitingCount()) >= mostQueued) throw new TenantQueueFullError();
      if (left() <= 0) throw late();
      try {
        await store.accept(created);
        if (left() <= 0) throw late();
        await send(queue, { ...created, job: queue.toKey(run.id), deadline });
        if (left() <= 0) throw late();
      } catch (thrown) {
        if (thrown instanceof QuotaError) throw thrown;
        refused.set(run.id, { queue, run, tenant });
        if (timer === undefined) withdrawAll();
        throw thrown;
      }
    },
    close: () => clearTimeout(timer),
  };
}

function late(): Error {
  return new Error('the start came too late');
}
