/** Tracks the tenants that have used the queue, by identity; their names; and the tenants that no worker serves. */
import type { Redis } from 'ioredis';
import { isTenantIdentity, shortIdentity } from '../../../node/settings/tenant-identity.ts';
import { KEEP_SECONDS, KINDS, keyOf, TENANTS } from '../connection/names.ts';
import { jobQueue, type RedisLink } from '../connection/redis.ts';
import { unlessPoisoned } from '../connection/redis-error.ts';
import { waitingCount } from '../turns.ts';
import { listWorkers } from './workers.ts';

/** Maximum length of a displayed label. */
const LABEL_LENGTH = 100;
/** Maximum number of listed tenants. */
const MAX_TENANTS = 10_000;

/** The tenant of a run or of a scan. */
export interface QueueTenant {
  readonly identity: string;
  /** Section of the settings file under which the work was started; empty if unnamed. */
  readonly label: string;
}

/** Adds a tenant to the set of seen tenants, before its first work. */
export async function announceTenant(client: Redis, { identity, label }: QueueTenant): Promise<void> {
  const key = keyOf.labels(identity);
  const results = await client.multi().sadd(TENANTS, identity).sadd(key, label).expire(key, KEEP_SECONDS).exec();
  // Ignore a key of another type: both sets serve only for listing.
  for (const [error] of results ?? []) if (error !== null) unlessPoisoned(error);
}

/** Returns the sorted identities of all tenants that have used the queue. A key of another type counts as empty. */
export async function seenTenants(client: Redis): Promise<readonly string[]> {
  const members = await membersOf(client, TENANTS);
  return members.filter(isTenantIdentity).slice(0, MAX_TENANTS).toSorted();
}

/** Returns the names of a tenant; none if they were not used for a week. */
export async function tenantLabels(client: Redis, identity: string): Promise<readonly string[]> {
  const labels = await membersOf(client, keyOf.labels(identity));
  return labels.map((label) => label.slice(0, LABEL_LENGTH)).toSorted();
}

/** Reads a set; a key of another type counts as empty. */
async function membersOf(client: Redis, key: string): Promise<readonly string[]> {
  return (await client.smembers(key).catch(unlessPoisoned)) ?? [];
}

/** Returns a tenant's name for people. */
export function tenantTitle(identity: string, labels: readonly string[]): string {
  const names = labels.map((label) => (label === '' ? 'no profile' : label));
  return `${names.length === 0 ? 'unknown' : names.join(', ')} (${shortIdentity(identity)})`;
}

/** Heartbeats between two searches: a search reads the queues of other tenants. */
const LOOKS = 12;

export interface UnservedOptions {
  readonly link: RedisLink;
  /** Labels of the tenants that this worker serves, by identity. */
  readonly own: ReadonlyMap<string, readonly string[]>;
  readonly warn: (message: string) => void;
}

/** Searches for waiting tenants. Warns once per tenant, and again after a worker has served it. */
export class UnservedTenants {
  readonly #options: UnservedOptions;
  readonly #reported = new Set<string>();
  #looks = 0;

  constructor(options: UnservedOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    const { link, own, warn } = this.#options;
    this.#looks += 1;
    // Skip the first search: other workers may still be starting.
    if (this.#looks % LOOKS !== 2) return;
    const served = new Set((await listWorkers(link.client)).flatMap(({ tenants }) => tenants));
    for (const tenant of await seenTenants(link.client)) {
      if (served.has(tenant) || own.has(tenant)) this.#reported.delete(tenant);
      else if (!this.#reported.has(tenant) && (await waitingOf(link, tenant)) > 0) {
        this.#reported.add(tenant);
        warn(unservedText(tenant, await tenantLabels(link.client, tenant), own));
      }
    }
  }
}

/** Describes the tenant of the waiting work, and any section of this worker with the same name but another tenant. */
export function unservedText(
  tenant: string,
  labels: readonly string[],
  own: ReadonlyMap<string, readonly string[]>,
): string {
  const text = `Work of ${tenantTitle(tenant, labels)} waits, but no worker serves this tenant.`;
  for (const [identity, names] of own) {
    const label = names.find((name) => labels.includes(name));
    if (label !== undefined) {
      return `${text} Here, ${label === '' ? 'no profile' : `"${label}"`} is another tenant (${shortIdentity(identity)}): compare tsg_id and addresses.`;
    }
  }
  return `${text} Start a worker whose settings have the same tsg_id and addresses.`;
}

async function waitingOf(link: RedisLink, tenant: string): Promise<number> {
  let waiting = 0;
  for (const kind of KINDS) {
    const queue = jobQueue(link, kind, tenant);
    waiting += await waitingCount(queue);
    await queue.close();
  }
  return waiting;
}
