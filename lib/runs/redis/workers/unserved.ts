/** Finds waiting work of tenants that no worker serves. */
import { shortIdentity } from '../../../node/tenant-identity.ts';
import { KINDS } from '../connection/names.ts';
import { jobQueue, type RedisLink } from '../connection/redis.ts';
import { waitingCount } from '../turns.ts';
import { labelsOf, seenTenants, tenantTitle } from './tenants.ts';
import { listWorkers } from './workers.ts';

/** Heartbeats between two searches: the search reads the queues of other tenants. */
const LOOKS = 12;

export interface UnservedOptions {
  readonly link: RedisLink;
  /** Labels of the tenants that this worker has, by identity. */
  readonly own: ReadonlyMap<string, readonly string[]>;
  readonly warn: (message: string) => void;
}

/** Searches for waiting tenants. It warns once for each tenant, and again after a worker had it. */
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
        warn(unservedText(tenant, await labelsOf(link.client, tenant), own));
      }
    }
  }
}

/** Describes the tenant whose work waits, and a section of this worker that has the same name but another tenant. */
export function unservedText(
  tenant: string,
  labels: readonly string[],
  own: ReadonlyMap<string, readonly string[]>,
): string {
  const text = `Work of ${tenantTitle(tenant, labels)} waits, and no worker has this tenant.`;
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
