/**
 * Finds a worker's tenants: the sections that it serves, and their rates. Sections that name the same tenant share
 * queues and rate.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { toAisecError } from '../../core/errors.ts';
import type { Clock, Transport } from '../../core/ports.ts';
import type { RedisLink } from '../../runs/redis/connection/redis.ts';
import { type OwnRate, TenantRate } from '../../runs/redis/shards/rate.ts';
import { isEmptySection, type TenantSection, type TenantSections } from '../../runs/tenants.ts';

export interface ServedSection extends TenantSection {
  /** Name of the section, including the default section; empty if unnamed. */
  readonly label: string;
}

/** Sections by the identity of their tenant. */
export type ServedTenants = ReadonlyMap<string, readonly ServedSection[]>;

export interface ServedOptions {
  readonly sections: TenantSections;
  /** Name of the default section; empty if unnamed. */
  readonly profile: string;
  /** Names of further sections. */
  readonly profiles: readonly string[];
  readonly warn: (message: string) => void;
}

/**
 * Reads the sections.
 * @throws ConfigurationError if the default section is invalid; skips other invalid sections with a warning
 */
export async function servedTenants({ sections, profile, profiles, warn }: ServedOptions): Promise<ServedTenants> {
  const tenants = new Map<string, ServedSection[]>();
  const add = (section: TenantSection, label: string) => {
    tenants.set(section.identity, [...(tenants.get(section.identity) ?? []), { ...section, label }]);
  };
  const own = await sections.of('');
  for (const name of profiles) {
    try {
      add(await sections.of(name), name);
    } catch (thrown) {
      const { message, hint = '' } = toAisecError(thrown);
      warn(`The section "${name}" is not served: ${message} ${hint}`.trimEnd());
    }
  }
  // Without default settings, only the named sections have tenants.
  if (tenants.size === 0 || !isEmptySection(own)) add(own, profile);
  return tenants;
}

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
    /** Runs a call whose requests are also limited by its scan's rate. */
    within: <T>(scan: OwnRate | undefined, call: () => Promise<T>): Promise<T> => scans.run(scan, call),
    close: (): void => {
      for (const rate of rates.values()) rate.close();
    },
  };
}
