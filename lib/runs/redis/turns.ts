/**
 * Starts a tenant's queued runs fairly across its tokens: each token numbers its own runs, and equal numbers start in
 * order of arrival. The numbers are BullMQ's priorities.
 */
import type { Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { KEEP_SECONDS, keyOf } from './connection/names.ts';
import type { RedisLink } from './connection/redis.ts';
import { unlessPoisoned } from './connection/redis-error.ts';
import { SET_ASIDE } from './runs/accepted-runs.ts';

/** BullMQ's largest priority. */
const MAX_TURN = 2_097_151;
/** BullMQ orders jobs by priority times this number, plus their arrival number. */
const UNIT = 0x100000000;
/** Number of waiting jobs to search for the oldest: the first jobs include the next run of each token. */
const SEARCHED = 1000;

/** Gives a token its next number, skipping past turns. Numbering restarts when no run is queued. */
const TAKE = `${SET_ASIDE}
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
if not first then redis.call('DEL', KEYS[2]) end
setAside(KEYS[2], 'hash')
local last = string.match(redis.call('HGET', KEYS[2], ARGV[1]) or '', '^%d+$') or 0
local turn = math.min(math.max(last + 1, math.floor((first or 0) / ${UNIT})), ${MAX_TURN})
redis.call('HSET', KEYS[2], ARGV[1], turn)
redis.call('EXPIRE', KEYS[2], ${KEEP_SECONDS})
return turn
`;

/** Takes the next turn of a token. @param owner as in the Redis keys */
export async function takeTurn(client: Redis, queue: Queue, tenant: string, owner: string): Promise<number> {
  return Number(await client.eval(TAKE, 2, queue.toKey('prioritized'), keyOf.turns(tenant), owner));
}

/** Puts a suspended run behind the runs that start next, so that it does not delay them. */
export async function takeLaterTurn(client: Redis, worker: Pick<Worker, 'toKey'>, job: Job): Promise<void> {
  if (job.priority === 0) return;
  const [, score = '0'] = await client.zrange(worker.toKey('prioritized'), 0, '0', 'WITHSCORES');
  await job.changePriority({ priority: Math.min(Math.floor(Number(score) / UNIT) + 1, MAX_TURN) });
}

/** Counts the jobs that wait. */
export function waitingCount(queue: Queue): Promise<number> {
  return queue.getJobCountByTypes('waiting', 'prioritized');
}

/** Returns when the oldest waiting job was added, in milliseconds; undefined if no job waits. */
export async function waitingSince({ client }: RedisLink, queue: Queue): Promise<number | undefined> {
  const [listed] = (await queue.getWaiting(0, 0)) as (Job | undefined)[];
  const found =
    (await client.zrange(queue.toKey('prioritized'), 0, String(SEARCHED - 1), 'WITHSCORES').catch(unlessPoisoned)) ??
    [];
  const arrival = (at: number) => Number(found[at + 1]) % UNIT;
  const ids = found.map((_, at) => at).filter((at) => at % 2 === 0);
  const first = ids.toSorted((one, other) => arrival(one) - arrival(other))[0];
  // Another program may have added ids of missing jobs to the list.
  const job = first === undefined ? undefined : ((await queue.getJob(found[first] ?? '')) as Job | undefined);
  if (listed === undefined || job === undefined) return (listed ?? job)?.timestamp;
  return Math.min(listed.timestamp, job.timestamp);
}
