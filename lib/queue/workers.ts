/** The workers that are alive: each says so every few seconds. */
import type { Redis } from 'ioredis';
import { SIMULATED_TENANT } from '../node/tenant-identity.ts';
import { keyOf } from './names.ts';

/** What a worker says of itself. Nothing in it is secret. */
export interface WorkerRecord {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly slots: number;
  /** Identities. */
  readonly tenants: readonly string[];
  /** As an ISO text. */
  readonly started: string;
  readonly shards: number;
  readonly runs: number;
}

/** A worker that says nothing for so long is gone, in seconds. */
export const ALIVE_SECONDS = 15;

/** Says that a worker is alive. */
export async function sayAlive(client: Redis, record: WorkerRecord): Promise<void> {
  await client.set(keyOf.worker(record.id), JSON.stringify(record), 'EX', ALIVE_SECONDS);
}

/** Lists the workers that are alive. */
export async function listWorkers(client: Redis): Promise<readonly WorkerRecord[]> {
  const keys: string[] = [];
  for await (const found of client.scanStream({ match: keyOf.worker('*'), count: 1000 })) {
    for (const key of found as string[]) keys.push(key);
  }
  if (keys.length === 0) return [];
  const texts = await client.mget(keys);
  return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as WorkerRecord]));
}

/** Returns the number of slots that work for a tenant. */
export async function workerCount(client: Redis, tenant: string): Promise<number> {
  const workers = await listWorkers(client);
  return workers.filter(({ tenants }) => tenants.includes(tenant)).reduce((sum, { slots }) => sum + slots, 0);
}

/** Reports whether all workers that are alive rehearse, or none, unlike the work. @param simulates the work rehearses */
export async function areOfOtherKind(client: Redis, simulates: boolean): Promise<boolean> {
  const workers = await listWorkers(client);
  return workers.length > 0 && workers.every(({ tenants }) => tenants.includes(SIMULATED_TENANT) !== simulates);
}
