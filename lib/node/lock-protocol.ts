/**
 * Who gets a lock: the one whose file gets the name. Of a name that a dead owner has, only the one may take it who has the
 * claim on that very owner. The claim is a lock of the same kind, so that of a process which died at it is taken in its turn.
 */
import { createHash } from 'node:crypto';

/** What the contenders do to the lock file and to claims. Each contender has a file of its own, with a text that no other has. */
export interface LockFiles {
  /** Gives the contender's file this name. @returns false when the name is taken */
  appear(path: string): Promise<boolean>;
  /** @returns the text of the file; undefined when there is none */
  read(path: string): Promise<string | undefined>;
  /** Does the owner who wrote this text still live? Once it does not, it never does again. */
  lives(path: string, text: string): Promise<boolean>;
  /** Gives the file another name, and takes that from the file which has it. */
  replace(path: string, other: string): Promise<void>;
  /** Takes the name from the contender's file. */
  withdraw(path: string): Promise<void>;
  /** Lets others go on. @param turn from 0 */
  wait(turn: number): Promise<void>;
}

/** How often a lock may change hands while it is waited for. */
const TURNS = 250;

/** @returns false when a living owner has the lock */
export async function acquire(path: string, files: LockFiles): Promise<boolean> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    const outcome = await attempt(path, path, files);
    if (outcome !== 'again') return outcome === 'mine';
    await files.wait(turn);
  }
  return false;
}

/** @param name the lock, or a claim on the way to it */
async function attempt(name: string, lock: string, files: LockFiles): Promise<'mine' | 'theirs' | 'again'> {
  if (await files.appear(name)) return 'mine';
  const theirs = await files.read(name);
  if (theirs === undefined) return 'again';
  if (await files.lives(name, theirs)) return 'theirs';
  return (await takeOver(name, theirs, lock, files)) ? 'mine' : 'again';
}

async function takeOver(name: string, theirs: string, lock: string, files: LockFiles): Promise<boolean> {
  const claim = claimOn(theirs, lock);
  if ((await attempt(claim, lock, files)) !== 'mine') return false;
  // Another one may have had the claim before, and have taken over.
  if ((await files.read(name)) === theirs) {
    await files.replace(claim, name);
    return true;
  }
  await files.withdraw(claim);
  return false;
}

/** The name of the claim on a dead owner. @param text of the owner's file */
export function claimOn(text: string, lock: string): string {
  return `${lock}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
