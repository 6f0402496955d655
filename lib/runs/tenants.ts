/**
 * Opens the tenants that one process serves, and the settings sections that name them. Each tenant has its own client;
 * tenants share only code.
 */
import { join } from 'node:path';
import { clientOf } from '../client/client.ts';
import type { ClientParts } from '../client/open.ts';
import type { Client, LimitedClient, StartOptions, Watch } from '../client/types.ts';
import { ConfigurationError, NotAllowedError, UsageError } from '../core/errors.ts';
import { SETTING_NAMES, SETTINGS, type Settings } from '../core/parameters.ts';
import type { CommandEntry } from '../manifest/command-catalogue.ts';
import { type FileShelf, fileShelf } from '../node/files/file-shelf.ts';
import { readConfiguration } from '../node/settings/configuration.ts';
import { SIMULATED_TENANT, tenantIdentity } from '../node/settings/tenant-identity.ts';
import { ownerKey, type RunOwner } from './port.ts';
import { Quota } from './quota.ts';
import { permits } from './rights.ts';

/** Maximum size of a result in bytes of JSON; a larger result is truncated, and a file has the complete result. */
const RESULT_BYTES = 10_000_000;

export interface Tenant {
  /** Directory of its files. */
  readonly directory: string;
  readonly shelf: FileShelf;
  /** Counts the bytes of its files. */
  readonly files: Quota;
  readonly client: Client<object>;
}

/** The host's hints about files. */
export interface FileHints {
  /** Hint if an argument's file is missing. */
  readonly missing: string;
  /** Hint on making room for files. */
  readonly full: string;
}

const FILE_HINTS: FileHints = {
  missing: 'Upload it first, then pass its id in this argument.',
  full: 'Delete files that are no longer needed.',
};

export interface TenantOptions {
  /** Called before a retry of an owner's command. @throws AisecError if the owner may not send more */
  readonly beforeRetry?: (owner: RunOwner) => void;
  readonly parts: Pick<ClientParts, 'registry' | 'simulated' | 'advice' | 'queue' | 'stopping'>;
  readonly start: StartOptions;
  /** Directory of all files; each tenant has a subdirectory. */
  readonly directory: string;
  readonly catalogue: readonly CommandEntry[];
  readonly fileHints?: FileHints;
  /** Wraps the transport of a tenant, for measurements. */
  readonly wrap: (tenant: string) => NonNullable<ClientParts['wrap']>;
  /** Observes every command that runs for an owner. */
  readonly watch?: (owner: RunOwner) => Watch;
}

/** The tenants of a process; each is opened on first use. */
export class Tenants {
  readonly #options: TenantOptions;
  readonly #hints: FileHints;
  readonly #files: Quota;
  readonly #opened = new Map<string, Tenant>();

  constructor(options: TenantOptions) {
    this.#options = options;
    this.#hints = options.fileHints ?? FILE_HINTS;
    this.#files = new Quota({ noun: 'files', own: 10_000_000_000, tenant: 50_000_000_000, hint: this.#hints.full });
  }

  /** Finds the tenant of a caller, and opens it on first use. */
  of({ tenant }: Pick<RunOwner, 'tenant'>): Tenant {
    const found = this.#opened.get(tenant) ?? this.#open(tenant);
    this.#opened.set(tenant, found);
    return found;
  }

  /** Creates a client that has the owner's rights, and finds only the owner's files. */
  clientFor(owner: RunOwner): LimitedClient<object> {
    const { beforeRetry, watch } = this.#options;
    return this.of(owner).client.limited({
      ...owner.limits,
      beforeRetry: () => beforeRetry?.(owner),
      ...(watch === undefined ? {} : { watch: watch(owner) }),
      findFile: (id) => this.#findFile(owner, id),
    });
  }

  /** Open tenants, by profile. */
  opened(): ReadonlyMap<string, Tenant> {
    return this.#opened;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(({ client }) => client.close()));
  }

  #open(profile: string): Tenant {
    const { parts, start, directory: parent, catalogue, wrap } = this.#options;
    const directory = join(parent, profile === '' ? 'default' : `profile-${encodeURIComponent(profile)}`);
    const files = this.#files;
    const client = clientOf<object>(
      { ...parts, catalogue: () => catalogue, wrap: wrap(profile) },
      { ...tenantSettings(start, profile), filesDirectory: directory, confined: true, resultLimit: RESULT_BYTES },
    );
    return { directory, shelf: fileShelf(undefined, (key, bytes) => files.add(key, bytes)), files, client };
  }

  /**
   * Finds the path of an owner's file.
   * @throws UsageError if there is no such file, NotAllowedError if the owner may no longer use its command
   */
  #findFile(owner: RunOwner, id: string): string {
    const file = this.of(owner).shelf.find(id, ownerKey(owner));
    const { madeBy } = file ?? {};
    if (madeBy !== undefined && !permits(owner.limits, this.#options.catalogue)(madeBy)) {
      throw new NotAllowedError(`This file was made by ${madeBy}, which is not allowed for this client.`);
    }
    if (file !== undefined) return file.path;
    throw new UsageError(`There is no file "${id.slice(0, 60)}".`, { hint: this.#hints.missing });
  }
}

const SETTING_VARIABLES: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ environment }) => environment));

/**
 * Returns the settings of a tenant. A named profile uses only that section of the settings file: environment variables
 * and options belong to the default tenant, and would mix the settings of two tenants.
 */
export function tenantSettings(start: StartOptions, profile: string): StartOptions {
  if (profile === '') return start;
  const { settings: _settings, environment = {}, ...others } = start;
  const foreign = Object.entries(environment).filter(([name]) => !SETTING_VARIABLES.has(name));
  return { ...others, environment: Object.fromEntries(foreign), profile };
}

/** A section with its tenant. */
export interface TenantSection {
  /** As in `RunOwner`; empty for the default tenant. */
  readonly tenant: string;
  readonly identity: string;
  /** Undefined for the simulated service. */
  readonly settings: Settings | undefined;
}

/** The settings sections of a process; each is read on first use, and never changes afterwards. */
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
    // Read a failed section again, so that users can fix it.
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
  } = tenantSettings(start, tenant);
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

/** Checks that a client's settings still identify the same tenant. @throws ConfigurationError */
export function checkUnchanged({ tenant, settings }: TenantSection, used: Settings): void {
  if (settings === undefined || JSON.stringify(settings) === JSON.stringify(used)) return;
  const title = tenant === '' ? 'The settings' : `The settings of the section "${tenant}"`;
  throw new ConfigurationError(`${title} have changed since the start.`, {
    hint: 'Restart this process: its settings may belong to another tenant now.',
  });
}

/**
 * Chooses the section for work of a tenant: the section of the same name; otherwise any section, if all have the same
 * credentials.
 * @param sections the tenant's sections
 * @param label section name that the work was started under
 * @throws ConfigurationError if the choice of credentials is ambiguous
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
    `Several sections name this work's tenant with different credentials, and none is named "${label}".`,
    { hint: 'Give a section that name, or start a worker with --profile NAME.' },
  );
}
