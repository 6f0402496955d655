/** Reads the state of the queue, and retries or drops jobs that were set aside. */
import type { Job, Queue } from 'bullmq';
import { UsageError } from '../../core/errors.ts';
import { KINDS, type Kind, keyOf, SHARD_PIECES } from './connection/names.ts';
import { jobQueue, type RedisLink } from './connection/redis.ts';
import type { Queue as OpenedQueue } from './queue.ts';
import { RunStore } from './runs/run-store.ts';
import { waitingCount, waitingSince } from './turns.ts';
import { seenTenants, tenantLabels } from './workers/tenants.ts';
import { listWorkers, type WorkerRecord } from './workers/workers.ts';

/** One of the two queues of a tenant. */
export interface QueueState {
  /** Its identity. */
  readonly tenant: string;
  /** Settings sections that named the tenant within the last week; an empty string for an unnamed section. */
  readonly labels: readonly string[];
  readonly kind: Kind;
  readonly waiting: number;
  readonly active: number;
  /** Jobs delayed for later. */
  readonly delayed: number;
  readonly failed: number;
  /** Age of the oldest waiting job, in seconds; 0 if no job waits. */
  readonly oldestSeconds: number;
  /** Requests that the tenant may send per second; null: no limit. */
  readonly rate: number | null;
}

/** A job that was set aside. */
export interface AsideJob {
  readonly id: string;
  readonly tenant: string;
  readonly kind: Kind;
  readonly reason: string;
  /** As an ISO string. */
  readonly since: string;
}

export interface QueueStatus {
  /** Host and port. */
  readonly redis: string;
  /** Bytes that Redis uses. */
  readonly memory: number;
  readonly queues: readonly QueueState[];
  readonly workers: readonly WorkerRecord[];
  readonly aside: readonly AsideJob[];
}

/** Maximum number of set-aside jobs listed for one queue. */
const MAX_LISTED = 100;

/** Reads the state of all queues. */
export async function queueStatus({ link }: OpenedQueue, now: number): Promise<QueueStatus> {
  const { client, name } = link;
  const found = await withQueues(link, async ({ queue, tenant, kind }) => {
    const counts = await queue.getJobCounts('active', 'delayed', 'failed');
    const waiting = await waitingCount(queue);
    const since = (await waitingSince(link, queue)) ?? now;
    const failed = await queue.getFailed(0, MAX_LISTED - 1);
    // Requests also ignore a rate key of another type.
    const rate = Number(await client.get(keyOf.rate(tenant)).catch(() => 0));
    const labels = await tenantLabels(client, tenant);
    const { active = 0, delayed = 0, failed: aside = 0 } = counts;
    return {
      state: {
        ...{ tenant, labels, kind, waiting, active, delayed, failed: aside },
        oldestSeconds: Math.max(0, Math.round((now - since) / 1000)),
        rate: rate > 0 ? rate : null,
      },
      aside: failed.map((job) => asideOf(job, tenant, kind)),
    };
  });
  return {
    redis: name,
    memory: Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1] ?? 0),
    queues: found.map(({ state }) => state).filter(isInUse),
    workers: await listWorkers(client),
    aside: found.flatMap(({ aside }) => aside),
  };
}

/** Retries a run that was set aside. @throws UsageError if there is no such run */
export async function retryJob(opened: OpenedQueue, id: string, dryRun = false): Promise<void> {
  const store = new RunStore(opened.link.client, opened.seal);
  await withAside(opened, id, async (job, kind) => {
    if (kind === 'shards') {
      throw new UsageError('The rows of this shard are already written, without verdicts for its prompts.', {
        hint: `Scan these prompts again, and forget the shard: aisec queue drop ${id}`,
      });
    }
    const run = await store.find(id);
    if (run?.state === 'unknown') {
      throw new UsageError(`Whether ${run.command} was carried out is unknown, so it is not sent again.`, {
        hint: `Check the service. If it was not, start it again, and forget this run: aisec queue drop ${id}`,
      });
    }
    if (dryRun) return;
    if (run !== undefined) {
      const { error: _error, result: _result, ...rest } = run;
      await store.reset({ ...rest, state: 'queued', started: null, ended: null });
    }
    await job.retry('failed');
  });
}

/** Forgets a job that was set aside, and its payload. @throws UsageError if there is no such job */
export async function dropJob(opened: OpenedQueue, id: string, dryRun = false): Promise<void> {
  const { client } = opened.link;
  await withAside(opened, id, async (job, kind) => {
    if (dryRun) return;
    await job.remove();
    const pieces = SHARD_PIECES.map((piece) => keyOf.shard(id, piece));
    await client.unlink(kind === 'shards' ? pieces : [keyOf.run(id, 'work')]);
  });
}

/** Reports whether a queue has work, or had work within the last week. */
function isInUse({ labels, waiting, active, delayed, failed }: QueueState): boolean {
  return labels.length > 0 || waiting + active + delayed + failed > 0;
}

function asideOf({ id = '', failedReason, finishedOn = 0 }: Job, tenant: string, kind: Kind): AsideJob {
  return { id, tenant, kind, reason: failedReason.slice(0, 300), since: new Date(finishedOn).toISOString() };
}

interface NamedQueue {
  readonly queue: Queue;
  readonly tenant: string;
  readonly kind: Kind;
}

async function withQueues<T>(link: RedisLink, use: (queue: NamedQueue) => Promise<T>): Promise<T[]> {
  const tenants = await seenTenants(link.client);
  const results: T[] = [];
  for (const tenant of tenants) {
    for (const kind of KINDS) {
      const queue = jobQueue(link, kind, tenant);
      results.push(await use({ queue, tenant, kind }));
      await queue.close();
    }
  }
  return results;
}

async function withAside({ link }: OpenedQueue, id: string, use: (job: Job, kind: Kind) => Promise<void>) {
  const done = await withQueues(link, async ({ queue, kind }) => {
    const job: Job | undefined = await queue.getJob(id);
    if (job === undefined || !(await job.isFailed())) return false;
    await use(job, kind);
    return true;
  });
  if (done.includes(true)) return;
  throw new UsageError(`No job "${id.slice(0, 60)}" was set aside.`, { hint: 'List them with: aisec queue' });
}
