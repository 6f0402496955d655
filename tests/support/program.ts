/** The whole program as a process, built from the current sources. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { temporaryFolder } from './folder.ts';
import { clockEnvironment } from './machine.ts';

export const ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');

/**
 * Builds the program before the tests of a file, and removes it after them.
 *
 * @param withCatalogue also write the files that help, completion and agents read
 * @returns its path
 */
export function program({ withCatalogue = false } = {}): string {
  // Packages are not bundled, so the program lies where Node finds them.
  const folder = join(ROOT, 'node_modules', '.cache', 'aisec', `program-${process.pid}-${randomUUID()}`);
  const path = join(folder, 'aisec.mjs');
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    if (withCatalogue) {
      writeFileSync(join(folder, 'catalogue.txt'), await catalogue());
      writeFileSync(join(folder, 'playbooks.json'), JSON.stringify([playbook('scan-prompt')]));
    }
    await build({
      entryPoints: [join(ROOT, 'bin', 'aisec.ts')],
      outfile: path,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      define: { AISEC_VERSION: '"0.0.0"' },
      logLevel: 'error',
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return path;
}

function playbook(name: string) {
  return { name, text: readFileSync(join(ROOT, 'lib', 'manifest', 'assets', 'playbooks', `${name}.yml`), 'utf8') };
}

async function catalogue(): Promise<string> {
  const [{ registry }, { catalogueOf }, { catalogueText }] = await Promise.all([
    import('../../commands/index.ts'),
    import('../../lib/manifest/describe.ts'),
    import('../../lib/manifest/catalogue.ts'),
  ]);
  return catalogueText(await catalogueOf(registry));
}

/** Installs the program as the command `aisec`. @returns the folder for PATH */
export function onPath(path: string): string {
  const folder = temporaryFolder('path');
  writeFileSync(join(folder, 'aisec'), `#!/bin/sh\nexec '${process.execPath}' '${path}' "$@"\n`, { mode: 0o755 });
  return folder;
}

export interface Given {
  /** Working directory and home. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Standard input; empty if absent, open and without end if null. */
  readonly input?: string | null;
  /** Node.js itself; by default that of the tests. */
  readonly node?: string;
}

/** Starts the program with only the path, the clock and the given variables. */
export function start(
  path: string,
  words: readonly string[],
  { folder, environment, input, node = process.execPath }: Given,
): ChildProcess {
  const child = spawn(node, [path, ...words], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...clockEnvironment(), ...environment },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  if (typeof input === 'string') child.stdin?.end(input);
  return child;
}

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: string | null;
}

/** Reads a process's output until it ends. */
export async function ended(child: ChildProcess): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    texts.stdout += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    texts.stderr += String(chunk);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { ...texts, code, signal };
}
