/** Checks the changelog and the lock file before a release. */
import { minVersion, satisfies } from 'semver';
import type { Manifest, Outcome } from './package.ts';

/** Checks that the first heading in CHANGELOG.md names the version, and that entries follow. */
export function changelogOutcome(text: string, version: string): Outcome {
  const [, first = ''] = text.split(/^## /m);
  const [head = ''] = first.split('\n');
  const [, found = '', date = ''] = /^\[(.+)\] - (Unreleased|\d{4}-\d\d-\d\d)$/.exec(head) ?? [];
  if (found === version && /^- /m.test(first)) return { passed: true, found: `${version}, ${date}` };
  const remedy = `Begin it with "## [${version}] - Unreleased" or the date of the release, and say what has changed.`;
  return { found: `The first heading is "${head}".`, remedy };
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
}

/** Checks that the lock file identifies each package by digest, not by URL. `npm ci` compares it with package.json. */
export function lockFileOutcome({ packages }: LockFile, manifest: Manifest): Outcome {
  const { '': _, ...others } = packages;
  const those = (test: (locked: LockedPackage) => boolean) =>
    Object.keys(others).filter((path) => test(others[path] ?? {}));
  const problems = {
    addresses: those(({ resolved }) => resolved !== undefined),
    'no digest': those(
      ({ integrity, inBundle = false, link = false }) => link || (integrity === undefined && !inBundle),
    ),
    'a package that needs a newer Node': those((locked) => needsNewerNode(locked, manifest)),
  };
  const found = Object.entries(problems).filter(([, paths]) => paths.length > 0);
  if (found.length === 0)
    return { passed: true, found: `${Object.keys(others).length} packages, each with its digest` };
  return {
    found: `It has ${found.map(([what, paths]) => `${what} (${paths.slice(0, 5).join(', ')})`).join('; ')}.`,
    remedy: 'Run npm install --package-lock-only with the .npmrc of the project.',
  };
}

/** Compares with the oldest Node in `engines`, because npm would warn everyone who installs with that version. */
function needsNewerNode({ engines, optional = false }: LockedPackage, manifest: Manifest): boolean {
  const supported = manifest.engines?.['node'];
  if (supported === undefined || engines?.node === undefined || optional) return false;
  return !satisfies(minVersion(supported) ?? supported, engines.node);
}
