/** Reports every few seconds that a worker is alive, and checks for stops whose message was lost. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { keyOf } from '../../runs/redis/connection/names.ts';
import type { RedisLink } from '../../runs/redis/connection/redis.ts';
import { within } from '../../runs/redis/connection/within.ts';
import type { CurrentJobs, Stops } from '../../runs/redis/workers/current.ts';
import type { UnservedTenants } from '../../runs/redis/workers/unserved.ts';
import { reportAlive, type WorkerRecord } from '../../runs/redis/workers/workers.ts';

/** Time between two heartbeats, in milliseconds. */
const ALIVE_MS = 5000;
/** Time for the last message to Redis, in milliseconds. */
export const LAST_MS = 500;

export interface HeartbeatParts {
  readonly link: RedisLink;
  readonly current: CurrentJobs;
  readonly stops: Stops;
  readonly unserved: UnservedTenants;
  readonly record: Pick<WorkerRecord, 'version' | 'slots' | 'tenants' | 'started'>;
}

/** Starts the heartbeat. @returns a function that ends it, and removes the record of the worker */
export function startHeartbeat({ link, current, stops, unserved, record }: HeartbeatParts): () => Promise<void> {
  const id = randomBytes(6).toString('hex');
  const beat = async () => {
    if (link.awayMs() > 0) return;
    await reportAlive(link.client, { ...record, id, host: hostname(), pid: process.pid, ...current.counts() });
    await stops.look();
    await unserved.look();
  };
  const tryToBeat = () => void beat().catch(() => undefined);
  tryToBeat();
  const timer = setInterval(tryToBeat, ALIVE_MS);
  return async () => {
    clearInterval(timer);
    await within(LAST_MS, () => link.client.del(keyOf.worker(id))).catch(() => undefined);
  };
}
