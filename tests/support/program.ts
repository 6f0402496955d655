/** The whole program as a process of its own, made of the sources as they are. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { clockEnvironment } from './machine.ts';

export const ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');

/** Builds the program before the tests of a file, and removes it after them. @returns its path */
export function program(): string {
  // Packages stay outside, so it lies where Node finds them.
  const cache = join(ROOT, 'node_modules', '.cache', 'aisec');
  const path = join(cache, `program-${process.pid}-${randomUUID()}.mjs`);
  beforeAll(async () => {
    mkdirSync(cache, { recursive: true });
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
  afterAll(() => rmSync(path, { force: true }));
  return path;
}

export interface Given {
  /** Where it runs, and its home. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What it reads; nothing when it is absent, and never an end when it is null. */
  readonly input?: string | null;
}

/** Starts the program, with nothing of the environment but what it is given, the path and the clock. */
export function start(path: string, words: readonly string[], { folder, environment, input }: Given): ChildProcess {
  const child = spawn(process.execPath, [path, ...words], {
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

/** Reads what a process writes until it has ended. */
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
