/** Lists the live workers: each writes a record every few seconds. */
import type { Redis } from 'ioredis';
import { ConflictError } from '../../../core/errors.ts';
import { SIMULATED_TENANT } from '../../../node/settings/tenant-identity.ts';
import { keyOf } from '../connection/names.ts';

/** The record of a worker; it has no secrets. */
export interface WorkerRecord {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly slots: number;
  /** Identities. */
  readonly tenants: readonly string[];
  /** As an ISO string. */
  readonly started: string;
  readonly shards: number;
  readonly runs: number;
}

/** Lifetime of a record, in seconds. */
export const ALIVE_SECONDS = 15;

/** Writes the record of a worker. */
export async function reportAlive(client: Redis, record: WorkerRecord): Promise<void> {
  await client.set(keyOf.worker(record.id), JSON.stringify(record), 'EX', ALIVE_SECONDS);
}

/** Maximum number of records, and size of a record in bytes. Anything beyond was not written by a worker. */
const [MAX_WORKERS, MAX_BYTES] = [10_000, 20_000];

/** Lists the live workers. Skips records that no worker wrote. */
export async function listWorkers(client: Redis): Promise<readonly WorkerRecord[]> {
  const keys = new Set<string>();
  for await (const found of client.scanStream({ match: keyOf.worker('*'), count: 1000 })) {
    for (const key of found as string[]) keys.add(key);
    if (keys.size > MAX_WORKERS) break;
  }
  const reading = client.pipeline();
  for (const key of keys) reading.getrange(key, 0, MAX_BYTES);
  const found = (await reading.exec()) ?? [];
  return found.flatMap(([error, text]) => (error === null ? recordIn(String(text)) : []));
}

function recordIn(text: string): WorkerRecord[] {
  try {
    const record: unknown = JSON.parse(text);
    return isRecord(record) ? [record] : [];
  } catch {
    return [];
  }
}

function isRecord(value: unknown): value is WorkerRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { id, host, pid, version, slots, tenants, started, shards, runs } = value as Record<string, unknown>;
  const isText = [id, host, version, started].every((each) => typeof each === 'string');
  const isCount = [pid, slots, shards, runs].every((each) => Number.isSafeInteger(each) && Number(each) >= 0);
  return isText && isCount && Array.isArray(tenants) && tenants.every((each) => typeof each === 'string');
}

/** Returns the number of worker slots that serve a tenant. */
export async function workerCount(client: Redis, tenant: string): Promise<number> {
  const workers = await listWorkers(client);
  return workers.filter(({ tenants }) => tenants.includes(tenant)).reduce((sum, { slots }) => sum + slots, 0);
}

/**
 * Reports whether no live worker can do the work, because they all simulate and the work is real, or vice versa.
 * @param simulates whether the work is simulated
 */
export async function areOfOtherKind(client: Redis, simulates: boolean): Promise<boolean> {
  const workers = await listWorkers(client);
  return workers.length > 0 && workers.every(({ tenants }) => tenants.includes(SIMULATED_TENANT) !== simulates);
}

/**
 * Returns the error if either only the work or only the workers are simulated.
 * @param simulates whether the worker simulates
 */
export function otherService(simulates: boolean): ConflictError {
  const [here, there] = simulates ? ['the simulated service', 'a tenant'] : ['a tenant', 'the simulated service'];
  return new ConflictError(`The workers use ${here}, and the work is meant for ${there}.`, {
    hint: 'Start both with --simulate, or neither.',
  });
}
