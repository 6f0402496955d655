/**
 * Gives a lock to the process that creates its file. The file of a dead owner may be replaced only by the
 * holder of a claim on that owner. A claim is itself a lock of this kind, so a dead process's claim can be taken over too.
 */
import { createHash } from 'node:crypto';

/** Operations of one contender on the lock file and on claims. Each contender writes a unique text. */
export interface LockFiles {
  /** Creates a file with the contender's text. @returns false if the name is taken */
  create(path: string): Promise<boolean>;
  /** Reads the text of a file; undefined if it does not exist. */
  read(path: string): Promise<string | undefined>;
  /** Returns true if the owner that wrote this text is alive. */
  isOwnerAlive(path: string, text: string): Promise<boolean>;
  /** Renames the file over another file. */
  replace(path: string, other: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Waits for other contenders. @param turn number of the attempt, from 0 */
  wait(turn: number): Promise<void>;
}

/** Maximum number of attempts. */
const MAX_TURNS = 250;

/** Acquires a lock. @returns false if a live owner has it */
export async function acquire(path: string, files: LockFiles): Promise<boolean> {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const outcome = await attempt(path, path, files);
    if (outcome !== 'again') return outcome === 'mine';
    await files.wait(turn);
  }
  return false;
}

/** Makes one attempt. @param name the lock, or a claim */
async function attempt(name: string, lock: string, files: LockFiles): Promise<'mine' | 'theirs' | 'again'> {
  if (await files.create(name)) return 'mine';
  const theirs = await files.read(name);
  if (theirs === undefined) return 'again';
  if (await files.isOwnerAlive(name, theirs)) return 'theirs';
  return (await takeOver(name, theirs, lock, files)) ? 'mine' : 'again';
}

async function takeOver(name: string, theirs: string, lock: string, files: LockFiles): Promise<boolean> {
  const claim = claimOn(theirs, lock);
  if ((await attempt(claim, lock, files)) !== 'mine') return false;
  // Another process may have held the claim before and taken over the lock.
  if ((await files.read(name)) === theirs) {
    await files.replace(claim, name);
    return true;
  }
  await files.remove(claim);
  return false;
}

/** Returns the name of the claim on a dead owner. @param text of the owner's file */
export function claimOn(text: string, lock: string): string {
  return `${lock}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
