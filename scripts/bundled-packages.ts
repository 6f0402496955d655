import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//;

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  readonly folder: string;
}

/**
 * Lists the packages that a bundle contains, by folder.
 * @param inputs files of the bundle, relative to the project's root
 */
export function bundledPackages(root: string, inputs: readonly string[]): BundledPackage[] {
  const folders = new Set(inputs.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  return [...folders].sort().map((path) => {
    const folder = join(root, path);
    const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
    const { name, version, license } = JSON.parse(manifest) as Record<'name' | 'version' | 'license', string>;
    return { name, version, license, folder };
  });
}
