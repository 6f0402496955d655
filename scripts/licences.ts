/** The licences of the packages that a bundle contains: whoever passes the bundle on passes them on too. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * @param inputs files of a bundle, relative to the project's top
 * @returns name, version and licence text of each package among them, by name
 */
export function licencesOf(root: string, inputs: readonly string[]): string {
  const folders = new Set(inputs.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  return [...folders]
    .sort()
    .map((folder) => licenceOf(join(root, folder)))
    .join('\n\n');
}

function licenceOf(folder: string): string {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  const { name, version, license } = JSON.parse(manifest) as Record<'name' | 'version' | 'license', string>;
  const file = readdirSync(folder)
    .sort()
    .find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? license : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version}\n\n${text}`;
}
