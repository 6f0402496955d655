/** One process at a time: a lock file that names its owner, and that a dead owner does not keep. */
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { ConflictError } from '../../errors.ts';
import { isObject } from '../../json.ts';
import { take } from './publish.ts';
import { codeOf } from './system-error.ts';

/** Gives the lock back. */
export type Release = () => Promise<void>;

/** Locks that others leave may be found again and again; nobody has to win more often than this. */
const TURNS = 5;

/**
 * Takes a lock.
 * @throws ConflictError that names file and owner when another process has it
 */
export async function lock(path: string): Promise<Release> {
  const mine = JSON.stringify({ process: process.pid, host: hostname(), since: new Date().toISOString() });
  for (let turn = 0; turn < TURNS; turn += 1) {
    // It gets its name with its owner in it: a lock without an owner could not be taken from a dead one.
    if (await appear(path, mine)) return () => release(path, mine);
    const theirs = await contentOf(path);
    if (theirs === undefined) continue;
    if (!isDead(theirs)) throw taken(path, theirs);
    await remove(path, theirs);
  }
  throw taken(path, (await contentOf(path)) ?? '');
}

async function appear(path: string, content: string): Promise<boolean> {
  const unnamed = aside(path);
  await writeFile(unnamed, content, { flag: 'wx' });
  try {
    return await take(unnamed, path);
  } finally {
    await rm(unnamed, { force: true });
  }
}

// Two may find the same dead owner, and one of them may have the lock already when the other one comes to remove it.
async function remove(path: string, theirs: string): Promise<void> {
  const moved = aside(path);
  try {
    await rename(path, moved);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return;
    throw thrown;
  }
  if ((await contentOf(moved)) !== theirs) await take(moved, path);
  await rm(moved, { force: true });
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

function aside(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}`;
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
  if (owner === undefined || owner.host !== hostname()) return false;
  try {
    process.kill(owner.process, 0);
    return false;
  } catch (thrown) {
    return codeOf(thrown) === 'ESRCH';
  }
}

function taken(path: string, content: string): ConflictError {
  const owner = ownerIn(content);
  const who =
    owner === undefined ? 'another process' : `process ${owner.process} on ${owner.host}, since ${owner.since}`;
  return new ConflictError(`The same work is under way already: ${path} belongs to ${who}.`, {
    hint: 'Wait until that has ended. If it runs no more, remove the lock file.',
  });
}
