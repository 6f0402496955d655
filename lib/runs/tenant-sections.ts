/** Resolves sections of the settings file to their tenants. */

import type { StartOptions } from '../client/types.ts';
import { ConfigurationError } from '../core/errors.ts';
import { SETTING_NAMES, SETTINGS, type Settings } from '../core/parameters.ts';
import { readConfiguration } from '../node/configuration.ts';
import { SIMULATED_TENANT, tenantIdentity } from '../node/tenant-identity.ts';
import { settingsOf } from './tenants.ts';

/** A section with its tenant. */
export interface TenantSection {
  /** As `RunOwner` names it; empty for the start's own. */
  readonly tenant: string;
  readonly identity: string;
  /** Undefined for the simulated service. */
  readonly settings: Settings | undefined;
}

/** The sections of a start; each is read on first use, and never changes afterwards. */
export class TenantSections {
  readonly #start: StartOptions;
  readonly #signal: AbortSignal;
  readonly #sections = new Map<string, Promise<TenantSection>>();

  /** @param signal ends the wait for a settings file that is a named pipe */
  constructor(start: StartOptions, signal: AbortSignal) {
    this.#start = start;
    this.#signal = signal;
  }

  /** Reads a section once. @throws ConfigurationError if it is missing or invalid */
  of(tenant: string): Promise<TenantSection> {
    const found = this.#sections.get(tenant) ?? readSection(this.#start, tenant, this.#signal);
    this.#sections.set(tenant, found);
    // A section that is fixed later is read again.
    found.catch(() => this.#sections.delete(tenant));
    return found;
  }
}

async function readSection(start: StartOptions, tenant: string, signal: AbortSignal): Promise<TenantSection> {
  const {
    simulate = false,
    settings: overrides,
    environment = {},
    configFile: path,
    profile,
  } = settingsOf(start, tenant);
  if (simulate !== false) return { tenant, identity: SIMULATED_TENANT, settings: undefined };
  const given = overrides === undefined ? {} : { overrides: { ...overrides } };
  const { settings } = await readConfiguration({ ...given, environment, path, profile, signal });
  return { tenant, identity: await tenantIdentity(settings), settings };
}

/** Reports whether a section has nothing but defaults. */
export function isEmptySection({ settings }: TenantSection): boolean {
  if (settings === undefined) return false;
  return SETTING_NAMES.every((name) => settings[name] === undefined || settings[name] === SETTINGS[name].default);
}

/** Checks that a client has the settings that its tenant was identified by. @throws ConfigurationError */
export function checkUnchanged({ tenant, settings }: TenantSection, used: Settings): void {
  if (settings === undefined || JSON.stringify(settings) === JSON.stringify(used)) return;
  const title = tenant === '' ? 'The settings' : `The settings of the section "${tenant}"`;
  throw new ConfigurationError(`${title} have changed since the start.`, {
    hint: 'Restart this process: its settings may belong to another tenant now.',
  });
}

/**
 * Chooses the section for work of a tenant: the section of the same name, else any, if all have the same credentials.
 * @param sections of the tenant @param label name that the work was started under
 * @throws ConfigurationError if the name does not decide whose credentials are used
 */
export function sectionFor(
  sections: readonly (TenantSection & { readonly label: string })[],
  label: string,
): TenantSection {
  const named = sections.find((section) => section.label === label);
  const [first] = sections;
  const areSame = new Set(sections.map(({ settings }) => JSON.stringify(settings))).size === 1;
  const found = named ?? (areSame ? first : undefined);
  if (found !== undefined) return found;
  throw new ConfigurationError(
    `Several sections have the tenant of this work with different credentials, and none is named "${label}".`,
    { hint: 'Give a section that name, or start a worker with --profile NAME.' },
  );
}
