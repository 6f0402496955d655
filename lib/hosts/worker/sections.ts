/** The sections that a worker serves, by tenant: sections of one tenant share its queues and its rate. */
import { toAisecError } from '../../core/errors.ts';
import { isEmptySection, type TenantSection, type TenantSections } from '../../runs/tenant-sections.ts';

export interface ServedSection extends TenantSection {
  /** Name of the section, also for the start's own; empty if unnamed. */
  readonly label: string;
}

/** Sections by the identity of their tenant. */
export type ServedTenants = ReadonlyMap<string, readonly ServedSection[]>;

export interface ServedOptions {
  readonly sections: TenantSections;
  /** Name of the start's own section; empty if unnamed. */
  readonly profile: string;
  /** Names of further sections. */
  readonly profiles: readonly string[];
  readonly warn: (message: string) => void;
}

/**
 * Reads the sections.
 * @throws ConfigurationError for the start's own; other invalid sections are skipped with a warning
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
  // A start without settings of its own adds no tenant to those of the sections.
  if (tenants.size === 0 || !isEmptySection(own)) add(own, profile);
  return tenants;
}
