/** Builds once for several test files, as long as the sources do not change. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './program.ts';

/** Folders in a checkout that a build does not read. */
export const UNREAD = ['.git', 'node_modules', 'dist', 'coverage', 'tests'];

const CACHE = join(ROOT, 'node_modules', '.cache', 'aisec');

/**
 * Builds, or reuses another test file's or an earlier run's build of the same sources.
 *
 * @param name a word for its folder
 * @param build writes into an empty folder
 * @returns the folder
 */
export async function builtOnce(name: string, build: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(CACHE, `${name}-${hashOfSources()}`);
  mkdirSync(CACHE, { recursive: true });
  while (!existsSync(folder)) {
    // One build keeps two cores busy.
    const release = takeTurn(`${folder}.turn`);
    if (release === undefined) await sleep(50);
    else await buildInto(folder, name, build).finally(release);
  }
  return folder;
}

async function buildInto(folder: string, name: string, build: (folder: string) => Promise<unknown>): Promise<void> {
  if (existsSync(folder)) return;
  const unfinished = mkdtempSync(join(CACHE, 'unfinished-'));
  try {
    await build(unfinished);
    for (const old of readdirSync(CACHE))
      if (old.startsWith(`${name}-`) && !old.endsWith('.turn')) rmSync(join(CACHE, old), { recursive: true });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Claims the build, unless a running process has claimed it. @returns a function that releases it */
function takeTurn(path: string): (() => void) | undefined {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return () => rmSync(path, { force: true });
  } catch {
    if (!isAlive(ownerOf(path))) rmSync(path, { force: true });
    return undefined;
  }
}

/** @returns undefined while the owner writes its id, or when it has gone */
function ownerOf(path: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(ROOT).filter((entry) => !UNREAD.includes(entry))) {
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
