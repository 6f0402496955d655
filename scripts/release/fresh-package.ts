/** The package as anyone builds it from the repository: a clone, the packages of the lock file, and nothing else. */
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { npm, outputOf } from '../processes.ts';
import type { PackageFiles } from './contents.ts';

export interface FreshPackage {
  /** The path of the package. */
  readonly archive: string;
  readonly files: PackageFiles;
}

/** Two places that differ in what a build might depend on. */
export const PLACES: readonly { readonly folder: string; readonly zone: string }[] = [
  { folder: 'one', zone: 'UTC' },
  { folder: 'another/and/deeper', zone: 'Pacific/Kiritimati' },
];

/**
 * Clones the last commit, installs its packages and packs it.
 * @param folder a folder that does not exist
 * @param zone the time zone of the build
 */
export function freshPackage(root: string, folder: string, zone: string): FreshPackage {
  const clone = join(folder, 'clone');
  const options = { cwd: clone, env: { ...withoutNpm(process.env), TZ: zone } };
  mkdirSync(folder, { recursive: true });
  outputOf('git', ['clone', '--quiet', '--no-hardlinks', root, clone]);
  npm(['ci', '--prefer-offline', '--no-audit', '--no-fund'], options);
  const archive = join(folder, npm(['pack', '--silent', '--pack-destination', folder], options).trim());
  outputOf('tar', ['-xzf', archive, '-C', folder]);
  const installed = join(folder, 'package');
  const paths = readdirSync(installed, { recursive: true, encoding: 'utf8' }).sort();
  const files = paths.filter((path) => statSync(join(installed, path)).isFile());
  return { archive, files: new Map(files.map((path) => [path, readFileSync(join(installed, path), 'utf8')])) };
}

/** Removes the variables by which `npm run` describes its own package to the programs that it starts. */
function withoutNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^npm_(?:package|lifecycle)_/.test(name)));
}
