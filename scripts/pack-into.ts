/** Packs the project with npm, as its users get it. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { npm, outputOf } from './processes.ts';

export interface Packed {
  /** The path of the package. */
  readonly archive: string;
  /** The folder in which it was unpacked. */
  readonly installed: string;
  /** Paths of its files, relative to that folder, sorted. */
  readonly files: readonly string[];
}

/**
 * Builds, packs and unpacks the project.
 * @param folder an empty folder
 * @param root the project
 * @param options of the processes
 */
export function packInto(folder: string, root: string, options: { readonly env?: NodeJS.ProcessEnv } = {}): Packed {
  const name = npm(['pack', '--silent', '--pack-destination', folder], { ...options, cwd: root }).trim();
  const archive = join(folder, name);
  outputOf('tar', ['-xzf', archive, '-C', folder]);
  const installed = join(folder, 'package');
  const names = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  return { archive, installed, files: names.filter((path) => statSync(join(installed, path)).isFile()).sort() };
}
