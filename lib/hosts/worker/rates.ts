/** The rates of a worker: one for each tenant, and one for each scan. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock, Transport } from '../../core/ports.ts';
import type { RedisLink } from '../../runs/redis/connection/redis.ts';
import { type OwnRate, TenantRate } from '../../runs/redis/shards/rate.ts';

export class WorkerRates {
  readonly #tenants: ReadonlyMap<string, TenantRate>;
  readonly #scan = new AsyncLocalStorage<OwnRate | undefined>();

  private constructor(tenants: ReadonlyMap<string, TenantRate>) {
    this.#tenants = tenants;
  }

  /** Joins the rates of tenants. */
  static async join(link: RedisLink, tenants: readonly string[], clock: Clock): Promise<WorkerRates> {
    const rates = tenants.map(async (tenant) => [tenant, await TenantRate.join(link, tenant, clock)] as const);
    return new WorkerRates(new Map(await Promise.all(rates)));
  }

  /** Limits the requests of a tenant. */
  wrap(tenant: string, transport: Transport): Transport {
    const rate = this.#tenants.get(tenant);
    if (rate === undefined) throw new Error('This worker has not joined the rate of the tenant.');
    return rate.wrap(transport, () => this.#scan.getStore());
  }

  /** Runs a call whose requests are also limited by the rate of its scan. */
  within<T>(scan: OwnRate | undefined, call: () => Promise<T>): Promise<T> {
    return this.#scan.run(scan, call);
  }

  close(): void {
    for (const rate of this.#tenants.values()) rate.close();
  }
}
