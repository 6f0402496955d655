/**
 * The program as a user installs it: packed by npm from a copy of the sources, and unpacked with no other package around.
 */

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtOnce, UNREAD } from '../../support/built-once.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type Ended, ended, type Given, ROOT, start } from '../../support/program.ts';

type Variables = Readonly<Record<string, string>>;

let notes = '';

/** Returns variables that make the installed program record its chunks. */
export function noting(environment: Variables = {}): Variables {
  notes ||= join(temporaryFolder('chunks'), 'loaded');
  const NODE_OPTIONS = `--require=${join(ROOT, 'tests', 'system', 'built', 'record-chunks.cjs')}`;
  return { ...environment, NODE_OPTIONS, LOADED_CHUNKS: notes };
}

/** Runs the installed program, and records its chunks. */
export function runInstalled(program: string, words: readonly string[], given: Given): Promise<Ended> {
  return ended(start(program, words, { ...given, environment: noting(given.environment) }));
}

/**
 * Returns the modules that the program imports lazily and that no run has loaded, each with its first export. Chunks
 * shared by several modules have no names; they are loaded with each of those modules.
 */
export function neverLoaded(program: string): string[] {
  const loader = readFileSync(program, 'utf8');
  const [, table = '[]'] = /^const CHUNKS = new Map\((.*)\.map\(/m.exec(loader) ?? [];
  const file = /chunks-\w+\.js/.exec(loader)?.[0] ?? '';
  const text = readFileSync(join(program, '..', file));
  const chunks = JSON.parse(table) as [name: string, at: number, length: number, line: number][];
  const loaded = new Set(readFileSync(notes, 'utf8').split('\n'));
  return chunks
    .filter(([name, , , line]) => !name.startsWith('chunk-') && !loaded.has(String(line)))
    .map(([name, at, length]) => {
      const [, first = ''] = /__export\(\w+, \{\s*(\w+)/.exec(text.toString('utf8', at, at + length)) ?? [];
      return `${name.replace(/-\w+\.js$/, '')}: ${first}`;
    })
    .sort();
}

const run = promisify(execFile);

export interface Packed {
  /** The bytes of the package. */
  readonly archive: Buffer;
  /** The folder of the unpacked package. */
  readonly installed: string;
}

const ARCHIVE = 'aisec.tgz';

/**
 * Builds and packs a copy of the sources, isolated from the user's settings and variables.
 *
 * @param folder receives the package, packed and unpacked
 * @returns the folder in which it was built
 */
async function packInto(folder: string): Promise<string> {
  const top = temporaryFolder('packed');
  const sources = join(top, 'checkout');
  mkdirSync(sources);
  for (const name of readdirSync(ROOT).filter((entry) => !UNREAD.includes(entry))) {
    cpSync(join(ROOT, name), join(sources, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(sources, 'node_modules'));
  const env = { PATH: process.env['PATH'], HOME: top, npm_config_update_notifier: 'false' };
  await run('npm', ['pack', '--silent', '--offline', '--pack-destination', folder], { cwd: sources, env });
  const name = readdirSync(folder).find((entry) => entry.endsWith('.tgz')) ?? '';
  renameSync(join(folder, name), join(folder, ARCHIVE));
  await run('tar', ['-xzf', join(folder, ARCHIVE), '-C', folder]);
  return sources;
}

const packedIn = (folder: string): Packed => ({
  archive: readFileSync(join(folder, ARCHIVE)),
  installed: join(folder, 'package'),
});

/** Builds and packs a copy of the sources once more. */
export async function packedAgain(): Promise<Packed & { readonly sources: string }> {
  const folder = temporaryFolder('again');
  const sources = await packInto(folder);
  return { ...packedIn(folder), sources };
}

/** Returns the package of these sources, which is built once for all test files. */
export async function sharedPackage(): Promise<Packed> {
  return packedIn(await builtOnce('package', packInto));
}
