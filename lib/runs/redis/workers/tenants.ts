/** The tenants that the queue has seen, by identity, and the names that people know them by. */
import type { Redis } from 'ioredis';
import { isTenantIdentity, shortIdentity } from '../../../node/tenant-identity.ts';
import { KEEP_SECONDS, keyOf, TENANTS } from '../connection/names.ts';
import { unlessPoisoned } from '../connection/redis-error.ts';

/** Longest label that is shown. */
const LABEL_LENGTH = 100;
/** Tenants that are listed. */
const MAX_TENANTS = 10_000;

/** The tenant of a run or of a scan. */
export interface QueueTenant {
  readonly identity: string;
  /** Section of the settings file that the work was started under; empty if unnamed. */
  readonly label: string;
}

/** Adds a tenant to those that the queue has seen, before its first work. */
export async function announceTenant(client: Redis, { identity, label }: QueueTenant): Promise<void> {
  const key = keyOf.labels(identity);
  const results = await client.multi().sadd(TENANTS, identity).sadd(key, label).expire(key, KEEP_SECONDS).exec();
  // Ignore a key of another kind: both sets are for lists only.
  for (const [error] of results ?? []) if (error !== null) unlessPoisoned(error);
}

/** Returns the identities of all tenants that the queue has seen, in order. A key of another kind counts as empty. */
export async function seenTenants(client: Redis): Promise<readonly string[]> {
  const members = await membersOf(client, TENANTS);
  return members.filter(isTenantIdentity).slice(0, MAX_TENANTS).toSorted();
}

/** Returns the names of a tenant; empty if it was not used for a week. */
export async function labelsOf(client: Redis, identity: string): Promise<readonly string[]> {
  const labels = await membersOf(client, keyOf.labels(identity));
  return labels.map((label) => label.slice(0, LABEL_LENGTH)).toSorted();
}

/** Reads a set; a key of another kind counts as empty. */
async function membersOf(client: Redis, key: string): Promise<readonly string[]> {
  return (await client.smembers(key).catch(unlessPoisoned)) ?? [];
}

/** Names a tenant for people. */
export function tenantTitle(identity: string, labels: readonly string[]): string {
  const names = labels.map((label) => (label === '' ? 'no profile' : label));
  return `${names.length === 0 ? 'unknown' : names.join(', ')} (${shortIdentity(identity)})`;
}
