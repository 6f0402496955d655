/** The program as a user installs it: packed by npm from a copy of the sources, and unpacked where there is no other package. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/program.ts';

const run = promisify(execFile);

/** What a checkout has besides. */
const ASIDE = ['.git', 'node_modules', 'dist', 'coverage', 'tests'];

export interface Packed {
  /** The folder in which it was built. */
  readonly sources: string;
  /** The bytes of the package. */
  readonly archive: Buffer;
  /** Where it is unpacked. */
  readonly installed: string;
}

/** Builds and packs a copy of the sources, with a user's own settings and variables out of reach. */
export async function packed(): Promise<Packed> {
  const top = temporaryFolder('packed');
  const sources = join(top, 'checkout');
  mkdirSync(sources);
  for (const name of readdirSync(ROOT).filter((entry) => !ASIDE.includes(entry))) {
    cpSync(join(ROOT, name), join(sources, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(sources, 'node_modules'));
  const env = { PATH: process.env['PATH'], HOME: top, npm_config_update_notifier: 'false' };
  await run('npm', ['pack', '--silent', '--offline', '--pack-destination', top], { cwd: sources, env });
  const name = readdirSync(top).find((entry) => entry.endsWith('.tgz')) ?? '';
  await run('tar', ['-xzf', join(top, name), '-C', top]);
  return { sources, archive: readFileSync(join(top, name)), installed: join(top, 'package') };
}

/** Files below a folder, by path. */
export function filesIn(folder: string): ReadonlyMap<string, Buffer> {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : [];
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(folder, name))]));
}
