/** Collects the licences of bundled packages, most of which require that copies include their text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BundledPackage, bundledPackages } from './bundled-packages.ts';

/**
 * Collects the licences of a bundle.
 * @param inputs files of the bundle, relative to the project's root
 * @returns name, version and licence text of each package, sorted by name
 */
export function licencesOf(root: string, inputs: readonly string[]): string {
  return bundledPackages(root, inputs).map(licenceOf).join('\n\n');
}

function licenceOf({ name, version, license, folder }: BundledPackage): string {
  const file = readdirSync(folder)
    .sort()
    .find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? license : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version}\n\n${text}`;
}
