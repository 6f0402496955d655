/** Says which tenant a caller works on. */
import type { StartOptions } from '../../client/types.ts';
import { readConfiguration } from '../../node/settings/configuration.ts';
import { tenantSettings } from '../../runs/tenants.ts';

/** Time to read the settings file, in milliseconds: it may be a named pipe that has ended. */
const READ_MS = 2000;

/** What a caller sees of its tenant. */
export interface TenantFacts {
  /** Name of the section of the settings file. */
  readonly profile: string | null;
  /** Its tenant services group. */
  readonly tenant: string | null;
  /** Whether its section is marked as production. */
  readonly production: boolean;
  readonly simulated: boolean;
}

/** Returns a function that reads the facts of a tenant once, by the profile of its tokens. @throws ConfigurationError */
export function tenantFactsOf(start: StartOptions, stopping: AbortSignal): (profile: string) => Promise<TenantFacts> {
  const known = new Map<string, Promise<TenantFacts>>();
  return (profile) => {
    const facts = known.get(profile) ?? readFacts(start, profile, stopping);
    known.set(profile, facts);
    // Read a failed section again, so that users can fix it.
    facts.catch(() => known.delete(profile));
    return facts;
  };
}

/** Reports whether the simulated service responds instead of a tenant. */
export function isSimulated({ simulate = false }: Pick<StartOptions, 'simulate'>): boolean {
  return simulate !== false;
}

async function readFacts(start: StartOptions, profile: string, stopping: AbortSignal): Promise<TenantFacts> {
  const named = profile === '' ? null : profile;
  if (isSimulated(start)) return { profile: named, tenant: null, production: false, simulated: true };
  const { settings: overrides, environment = {}, configFile: path, profile: section } = tenantSettings(start, profile);
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(READ_MS)]);
  const given = overrides === undefined ? {} : { overrides: { ...overrides } };
  const { settings, file } = await readConfiguration({ ...given, environment, path, profile: section, signal });
  return {
    profile: named ?? file?.profile ?? null,
    tenant: settings.tsg_id ?? null,
    production: file?.production ?? false,
    simulated: false,
  };
}
