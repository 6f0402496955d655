/** The lock file: it names every package by its contents, and says the same as package.json. */
import { isDeepStrictEqual } from 'node:util';
import { minVersion, satisfies } from 'semver';
import { listed, type Problem } from '../checks.ts';
import type { Manifest } from '../manifest.ts';

export interface LockFile {
  readonly version?: string;
  readonly name?: string;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
}

/** Members that the lock file repeats from package.json. */
const REPEATED = [
  ...(['name', 'version', 'license', 'bin', 'engines'] as const),
  ...(['dependencies', 'devDependencies', 'peerDependencies', 'peerDependenciesMeta'] as const),
];

/** Checks a lock file against package.json. */
export function lockFileOutcome({ packages, ...lock }: LockFile, manifest: Manifest): string | Problem {
  const { '': root = {}, ...others } = packages;
  const repeated: Readonly<Record<string, unknown>> = { ...root };
  const changed = REPEATED.filter((name) => !isDeepStrictEqual(repeated[name], manifest[name]));
  const isRenamed = lock.name !== manifest.name || lock.version !== manifest.version;
  if (changed.length > 0 || isRenamed) {
    const names = changed.length > 0 ? listed(changed) : 'name and version';
    return { found: `It differs from package.json: ${names}.`, remedy: 'Run npm install --package-lock-only.' };
  }
  const addressed = Object.keys(others).filter((path) => others[path]?.resolved !== undefined);
  if (addressed.length > 0) {
    const remedy = 'Run npm install --package-lock-only with the .npmrc of the project.';
    return { found: `It has addresses of ${listed(addressed)}.`, remedy };
  }
  const open = Object.keys(others).filter((path) => !isFixed(others[path] ?? {}));
  if (open.length > 0) {
    return { found: `It has no digest of ${listed(open)}.`, remedy: 'Depend on published packages only.' };
  }
  const newer = Object.keys(others).filter((path) => needsNewerNode(others[path] ?? {}, manifest));
  if (newer.length > 0) {
    const remedy = 'Override them in package.json with a version that runs on the oldest Node of engines.';
    return { found: `It has packages that need a newer Node: ${listed(newer)}.`, remedy };
  }
  return `${Object.keys(others).length} packages, each with its digest and none with an address`;
}

function isFixed({ integrity, inBundle = false, link = false }: LockedPackage): boolean {
  return !link && (integrity !== undefined || inBundle);
}

/** Compares with the oldest Node of `engines`: npm warns everyone who installs with it. */
function needsNewerNode({ engines, optional = false }: LockedPackage, manifest: Manifest): boolean {
  const supported = manifest.engines?.['node'];
  if (supported === undefined || engines?.node === undefined || optional) return false;
  return !satisfies(minVersion(supported) ?? supported, engines.node);
}
