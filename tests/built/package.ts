/** The program as a user installs it: packed by npm from a copy of the sources, unpacked beside no other package. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/program.ts';

const run = promisify(execFile);

/** Folders of a checkout that are not copied. */
const EXCLUDED = ['.git', 'node_modules', 'dist', 'coverage', 'tests'];

export interface Packed {
  /** The folder in which it was built. */
  readonly sources: string;
  /** The bytes of the package. */
  readonly archive: Buffer;
  /** The folder of the unpacked package. */
  readonly installed: string;
}

/** Builds and packs a copy of the sources, with a user's own settings and variables out of reach. */
export async function packed(): Promise<Packed> {
  const top = temporaryFolder('packed');
  const sources = join(top, 'checkout');
  mkdirSync(sources);
  for (const name of readdirSync(ROOT).filter((entry) => !EXCLUDED.includes(entry))) {
    cpSync(join(ROOT, name), join(sources, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(sources, 'node_modules'));
  const env = { PATH: process.env['PATH'], HOME: top, npm_config_update_notifier: 'false' };
  await run('npm', ['pack', '--silent', '--offline', '--pack-destination', top], { cwd: sources, env });
  const name = readdirSync(top).find((entry) => entry.endsWith('.tgz')) ?? '';
  await run('tar', ['-xzf', join(top, name), '-C', top]);
  return { sources, archive: readFileSync(join(top, name)), installed: join(top, 'package') };
}

const CACHE = join(ROOT, 'node_modules', '.cache', 'aisec');

/** Returns the installed package of these sources, which is built once for all test files. */
export async function sharedPackage(): Promise<string> {
  const folder = join(CACHE, `package-${hashOfSources()}`);
  if (existsSync(folder)) return folder;
  for (const name of existsSync(CACHE) ? readdirSync(CACHE) : []) {
    const isOld = name.startsWith('package-') && !join(CACHE, name).startsWith(folder);
    if (isOld) rmSync(join(CACHE, name), { recursive: true, force: true });
  }
  const { installed } = await packed();
  const unfinished = `${folder}.${process.pid}`;
  cpSync(installed, unfinished, { recursive: true });
  try {
    renameSync(unfinished, folder);
  } catch (thrown) {
    // Another test file was faster.
    if (!existsSync(folder)) throw thrown;
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(ROOT).filter((entry) => !EXCLUDED.includes(entry))) {
    const path = join(ROOT, name);
    const files = statSync(path).isDirectory() ? filesIn(path) : new Map([['', readFileSync(path)]]);
    for (const [file, bytes] of files) hash.update(`${name}/${file}\0`).update(bytes);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Files below a folder, by path. */
export function filesIn(folder: string): ReadonlyMap<string, Buffer> {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : [];
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(folder, name))]));
}
