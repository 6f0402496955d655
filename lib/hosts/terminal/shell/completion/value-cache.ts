/**
 * Known values on disk, readable only by their owner: completion answers from this cache and never waits for the
 * network.
 */
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { KnownValue } from '../../../../client/completion/known-values.ts';
import { SETTINGS } from '../../../../core/parameters.ts';
import { namedProfile, settingsPath } from '../../../../node/settings/location.ts';
import { userFolder } from '../../../../node/system/user-folder.ts';
import type { Options } from '../../line/cli-options.ts';
import type { Environment } from '../../ui/host.ts';

const FRESH_MS = 120_000;
/** Matches the files of all tenants: lists, and marks of their refreshes. */
const NAME = /^values-[0-9a-f]{16}-/;
/** Minimum time before a failed list is requested again. */
const RETRY_MS = 60_000;
/** Age at which a list is removed: each change of the settings file leaves behind lists that are never read again. */
const KEPT_MS = 14 * 86_400_000;
const OWNER_ONLY = 0o600;

export type CacheOptions = Pick<Options, 'config' | 'profile' | 'simulate' | 'settings'>;

/** Opens the cache of one tenant; each tenant has its own files. */
export function openValueCache(options: CacheOptions, environment: Environment) {
  const folder = userFolder('cache', environment);
  const tenant = keyOf(options, environment);
  const fileOf = (command: string) => join(folder, `values-${tenant}-${command}.json`);
  const markOf = (command: string) => `${fileOf(command)}.refresh`;
  return {
    /** Returns the values of a list command, whatever their age. */
    read: (command: string) => valuesIn(fileOf(command)),
    /**
     * Claims the refresh of a list command. @returns false if the values are fresh, or another process is refreshing
     * them
     */
    claim: (command: string) => {
      if (ageOf(fileOf(command)) < FRESH_MS) return false;
      if (ageOf(markOf(command)) >= RETRY_MS) rmSync(markOf(command), { force: true });
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        closeSync(openSync(markOf(command), 'wx', OWNER_ONLY));
        return true;
      } catch {
        return false;
      }
    },
    /** Replaces the values of a list command, and removes lists that were not refreshed for two weeks. */
    write: async (command: string, values: readonly KnownValue[]) => {
      // Loaded lazily, because completion reads on each Tab, and never writes.
      const { writeFileAtomically } = await import('../../../../node/files/atomic-write.ts');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      removeOld(folder);
      await writeFileAtomically(fileOf(command), JSON.stringify(values), OWNER_ONLY);
      rmSync(markOf(command), { force: true });
    },
  };
}

function keyOf({ config, profile, simulate, settings }: CacheOptions, environment: Environment): string {
  const request = { path: config, profile, environment };
  const path = settingsPath(request);
  const file = path === undefined ? [] : [resolve(path), changedAt(path)];
  const own = Object.values(SETTINGS).filter(({ kind }) => kind !== 'secret');
  const values = own.map((setting) => environment[setting.environment] ?? '');
  const section = namedProfile(request) ?? '';
  const parts = simulate ? ['simulated'] : [file, section, settings, values];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

function removeOld(folder: string): void {
  const files = readdirSync(folder).filter((name) => NAME.test(name));
  for (const file of files.map((name) => join(folder, name))) if (ageOf(file) > KEPT_MS) rmSync(file, { force: true });
}

function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function ageOf(file: string): number {
  const at = changedAt(file);
  return at === 0 ? Number.POSITIVE_INFINITY : Math.abs(Date.now() - at);
}

function valuesIn(file: string): readonly KnownValue[] {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(read) ? read.filter(isValue) : [];
  } catch {
    return [];
  }
}

function isValue(value: unknown): value is KnownValue {
  const { id, name } = (value ?? {}) as Partial<KnownValue>;
  return typeof id === 'string' && typeof name === 'string';
}
