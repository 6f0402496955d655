/** The rates of a worker: one for each tenant, and one for each scan. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock, Transport } from '../../core/ports.ts';
import type { RedisLink } from '../../runs/redis/connection/redis.ts';
import { type OwnRate, TenantRate } from '../../runs/redis/shards/rate.ts';

export type WorkerRates = Awaited<ReturnType<typeof joinRates>>;

/** Joins the rates of tenants. */
export async function joinRates(link: RedisLink, tenants: readonly string[], clock: Clock) {
  const joined = tenants.map(async (tenant) => [tenant, await TenantRate.join(link, tenant, clock)] as const);
  const rates = new Map(await Promise.all(joined));
  const scans = new AsyncLocalStorage<OwnRate | undefined>();
  return {
    /** Limits the requests of a tenant. */
    wrap: (tenant: string, transport: Transport): Transport => {
      const rate = rates.get(tenant);
      if (rate === undefined) throw new Error('This worker has not joined the rate of the tenant.');
      return rate.wrap(transport, () => scans.getStore());
    },
    /** Runs a call whose requests are also limited by the rate of its scan. */
    within: <T>(scan: OwnRate | undefined, call: () => Promise<T>): Promise<T> => scans.run(scan, call),
    close: (): void => {
      for (const rate of rates.values()) rate.close();
    },
  };
}
