/** The tenants that one process serves. Each has a client of its own, and shares nothing with the others but the code. */
import { join } from 'node:path';
import { clientOf } from '../client/client.ts';
import type { ClientParts } from '../client/parts.ts';
import type { Client, LimitedClient, StartOptions, Watch } from '../client/types.ts';
import { NotAllowedError, UsageError } from '../engine/errors.ts';
import type { CommandEntry } from '../manifest/command-catalogue.ts';
import { type FileShelf, fileShelf } from '../node/files/file-shelf.ts';
import { SETTINGS } from '../settings/parameters.ts';
import { ownerKey, type RunOwner } from './port.ts';
import { newQuota, type Quota } from './quota.ts';
import { permits } from './rights.ts';

/** Size of a result in bytes of JSON; a larger one is cut, and a file has all of it. */
const RESULT_BYTES = 10_000_000;

export interface Tenant {
  /** Directory of its files. */
  readonly directory: string;
  readonly shelf: FileShelf;
  /** Counts the bytes of its files. */
  readonly files: Quota;
  readonly client: Client<object>;
}

export interface Tenants {
  /** Finds the tenant of a caller, and opens it on first use. */
  of(owner: Pick<RunOwner, 'tenant'>): Tenant;
  /** Creates a client that may do what the owner may, and finds their files alone. */
  clientFor(owner: RunOwner): LimitedClient<object>;
  /** The tenants that are open, by profile; the one of the start is always among them. */
  opened(): ReadonlyMap<string, Tenant>;
  close(): Promise<void>;
}

export interface FileHints {
  /** What to do without the file that an argument names. */
  readonly missing: string;
  /** How to make room for files. */
  readonly full: string;
}

const FILE_HINTS: FileHints = {
  missing: 'Send it first. Its id goes into this argument.',
  full: 'Delete files that are no longer needed.',
};

export interface TenantOptions {
  /** Called before an owner's command is tried again. @throws AisecError if the owner may not send more */
  readonly beforeRetry?: (owner: RunOwner) => void;
  readonly parts: Pick<ClientParts, 'registry' | 'simulated' | 'advice' | 'queue' | 'stopping'>;
  readonly start: StartOptions;
  /** Directory of all files; each tenant has one in it. */
  readonly directory: string;
  readonly catalogue: readonly CommandEntry[];
  /** Says how owners send and delete files. */
  readonly fileHints?: FileHints;
  /** Wraps the transport of a tenant, for measurements. */
  readonly wrap: (tenant: string) => NonNullable<ClientParts['wrap']>;
  /** Watches every command that is run for an owner. */
  readonly watch?: (owner: RunOwner) => Watch;
}

/** Creates the tenants; none is opened before its first call. */
export function openTenants(options: TenantOptions): Tenants {
  const { parts, start, directory, catalogue, wrap, watch, beforeRetry, fileHints = FILE_HINTS } = options;
  const tenants = new Map<string, Tenant>();
  const files = newQuota({
    noun: 'files',
    own: 10_000_000_000,
    tenant: 50_000_000_000,
    hint: fileHints.full,
  });
  const open = (profile: string): Tenant => {
    const own = join(directory, profile === '' ? 'default' : `profile-${encodeURIComponent(profile)}`);
    const client = clientOf<object>(
      { ...parts, catalogue: () => catalogue, wrap: wrap(profile) },
      { ...settingsOf(start, profile), filesDirectory: own, confined: true, resultLimit: RESULT_BYTES },
    );
    return { directory: own, shelf: fileShelf(undefined, files.add), files, client };
  };
  const of: Tenants['of'] = ({ tenant }) => {
    const found = tenants.get(tenant) ?? open(tenant);
    tenants.set(tenant, found);
    return found;
  };
  return {
    of,
    clientFor: (owner) => {
      const { client, shelf } = of(owner);
      return client.limited({
        ...owner.limits,
        beforeRetry: () => beforeRetry?.(owner),
        ...(watch === undefined ? {} : { watch: watch(owner) }),
        findFile: (id) => {
          const file = shelf.find(id, ownerKey(owner));
          const { madeBy } = file ?? {};
          if (madeBy !== undefined && !permits(owner.limits, catalogue)(madeBy)) {
            throw new NotAllowedError(`This file was made by ${madeBy}, which is not allowed for this client.`);
          }
          if (file !== undefined) return file.path;
          throw new UsageError(`There is no file "${id.slice(0, 60)}".`, {
            hint: fileHints.missing,
          });
        },
      });
    },
    opened: () => tenants,
    close: async () => {
      await Promise.all([...tenants.values()].map(({ client }) => client.close()));
    },
  };
}

const SETTING_VARIABLES: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ environment }) => environment));

/**
 * Returns the settings of a tenant. A named profile is that section of the settings file alone: values of the environment
 * or of options, which are those of the start's own tenant, would mix the two.
 */
export function settingsOf(start: StartOptions, profile: string): StartOptions {
  if (profile === '') return start;
  const { settings: _settings, environment = {}, ...others } = start;
  const foreign = Object.entries(environment).filter(([name]) => !SETTING_VARIABLES.has(name));
  return { ...others, environment: Object.fromEntries(foreign), profile };
}
