/** One process at a time: a lock file that names its owner, and that a dead owner does not keep. */
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError } from '../../errors.ts';
import { isObject } from '../../json.ts';
import { isAlive } from './process.ts';
import { take } from './publish.ts';
import { codeOf } from './system-error.ts';
import { unfinishedPath } from './unfinished.ts';

/** Gives the lock back. */
export type Release = () => Promise<void>;

/** How often a lock may change hands while we want it. */
const TURNS = 50;
const TURN_MS = 20;
/** A takeover takes a moment; one that takes longer is that of a process that died at it. */
const LONGEST_TAKEOVER_MS = 10_000;

/**
 * Takes a lock.
 * @throws ConflictError that names file and owner when another process has it
 */
export async function lock(path: string): Promise<Release> {
  const mine = JSON.stringify({ process: process.pid, host: hostname(), since: new Date().toISOString() });
  const give = () => release(path, mine);
  for (let turn = 0; turn < TURNS; turn += 1) {
    if (await appear(path, mine)) return give;
    const theirs = await contentOf(path);
    if (theirs !== undefined && !isDead(theirs)) break;
    if (theirs !== undefined && (await takeOver(path, theirs, mine))) return give;
    await sleep(TURN_MS);
  }
  throw taken(path, (await contentOf(path)) ?? '');
}

/** A file gets its name with its text in it: a lock without an owner could not be taken from a dead one. */
async function appear(path: string, content: string): Promise<boolean> {
  return withUnnamed(path, content, (unnamed) => take(unnamed, path));
}

// Many may find the same dead owner. One at a time may take its place, after another look, and the lock is never away.
async function takeOver(path: string, theirs: string, mine: string): Promise<boolean> {
  const turn = `${path}.takeover`;
  if (!(await appear(turn, mine))) {
    const { mtimeMs } = await stat(turn).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > LONGEST_TAKEOVER_MS) await rm(turn, { force: true });
    return false;
  }
  try {
    if ((await contentOf(path)) !== theirs) return false;
    await withUnnamed(path, mine, (unnamed) => rename(unnamed, path));
    return true;
  } finally {
    await rm(turn, { force: true });
  }
}

async function withUnnamed<Value>(path: string, content: string, use: (unnamed: string) => Promise<Value>) {
  const unnamed = unfinishedPath(dirname(path));
  await writeFile(unnamed, content, { flag: 'wx' });
  try {
    return await use(unnamed);
  } finally {
    await rm(unnamed, { force: true });
  }
}

async function release(path: string, mine: string): Promise<void> {
  if ((await contentOf(path)) === mine) await rm(path, { force: true });
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

interface Owner {
  readonly process: number;
  readonly host: string;
  readonly since: string;
}

function ownerIn(content: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(content);
    if (!isObject(value) || typeof value['process'] !== 'number') return undefined;
    return { process: value['process'], host: String(value['host']), since: String(value['since']) };
  } catch {
    return undefined;
  }
}

/** Nothing is known of a process on another machine, and nothing of an owner without a number. */
function isDead(content: string): boolean {
  const owner = ownerIn(content);
  return owner !== undefined && owner.host === hostname() && !isAlive(owner.process);
}

function taken(path: string, content: string): ConflictError {
  const owner = ownerIn(content);
  const who =
    owner === undefined ? 'another process' : `process ${owner.process} on ${owner.host}, since ${owner.since}`;
  return new ConflictError(`The same work is under way already: ${path} belongs to ${who}.`, {
    hint: 'Wait until that has ended. If it runs no more, remove the lock file.',
  });
}
