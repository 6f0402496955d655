/**
 * One process at a time, by a lock file that names its owner. Whether the owner still lives is known from the processes that
 * can be seen, from the kernel's lock on the file, or from the owner's beat: the time at which it last touched the file.
 */
import { constants, type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError } from '../errors.ts';
import { type KernelLock, kernelLock } from './kernel-lock.ts';
import { describeOwner, ownerIn, ownerText } from './lock-owner.ts';
import { acquire, type LockFiles } from './lock-protocol.ts';
import { isAlive, type ProcessIdentity, thisProcess } from './process.ts';
import { claimName, OWNER_ONLY } from './publish.ts';
import { codeOf } from './system-error.ts';
import { unfinishedPath } from './unfinished.ts';

export interface Lock {
  /** @throws ConflictError when another process had taken the lock at the last beat, or the lock file was gone */
  check(): void;
  /** The same for this moment. */
  confirm(): Promise<void>;
  release(): Promise<void>;
}

export interface LockOptions {
  readonly kernel?: KernelLock;
  /** How often an owner shows that it lives. */
  readonly beatMs?: number;
  /** An owner that has not shown itself for so long may be dead. */
  readonly leaseMs?: number;
}

const LONGEST_TURN_MS = 20;
const [BEAT_MS, LEASE_MS] = [5000, 60_000];

/**
 * Takes a lock.
 * @throws ConflictError that names file and owner when another process has it
 */
export async function lock(path: string, options: LockOptions = {}): Promise<Lock> {
  const { kernel = kernelLock(), beatMs = BEAT_MS, leaseMs = LEASE_MS } = options;
  const here = thisProcess();
  const unnamed = unfinishedPath(dirname(path));
  const file = await open(unnamed, 'wx', OWNER_ONLY);
  try {
    // Locked before it has its name: a lock file that others see always has an owner.
    const text = ownerText(here, await kernel.hold(file));
    await file.writeFile(text);
    const isMine = await acquire(path, filesOf(unnamed, { here, kernel, beatMs, leaseMs }));
    if (!isMine) throw taken(path, (await contentOf(path)) ?? '');
    return held(path, text, file, beatMs);
  } catch (thrown) {
    await file.close();
    throw thrown;
  } finally {
    await rm(unnamed, { force: true });
  }
}

/** @param unnamed the contender's file, which keeps this name beside others where the file system knows links */
function filesOf(unnamed: string, observer: Observer): LockFiles {
  return {
    appear: (path) => claimName(unnamed, path),
    read: contentOf,
    lives: (path, text) => lives(path, text, observer),
    replace: rename,
    withdraw: async (path) => {
      // Two names of one file stay two when one is given the other; without links the file has moved, and moves back.
      await rename(path, unnamed);
      await rm(path, { force: true });
    },
    wait: (turn) => sleep(Math.min(turn, LONGEST_TURN_MS)),
  };
}

interface Observer extends Required<LockOptions> {
  readonly here: ProcessIdentity;
}

async function lives(path: string, theirs: string, { here, kernel, ...times }: Observer): Promise<boolean> {
  const owner = ownerIn(theirs);
  const known = owner === undefined ? undefined : isAlive(owner, here);
  if (known !== undefined) return known;
  if (owner?.kernel === true) {
    const isHeld = await kernel.isHeld(path);
    // Another machine may share the files and not the locks on them.
    const isSameKernel = owner.linux !== undefined && owner.linux.boot === here.linux?.boot;
    if (isHeld === true || (isHeld === false && isSameKernel)) return isHeld;
  }
  return isBeating(path, times);
}

async function isBeating(path: string, { beatMs, leaseMs }: Required<Omit<LockOptions, 'kernel'>>): Promise<boolean> {
  const last = await lastBeat(path);
  if (last === undefined) return false;
  const age = Date.now() - last;
  if (age >= 0 && age < leaseMs) return true;
  // A clock that was put forward, and a machine that slept, make a living owner look as old as a dead one.
  await sleep(2.5 * beatMs);
  return (await lastBeat(path)) !== last;
}

/** @returns milliseconds since the epoch; undefined when the file is gone */
async function lastBeat(path: string): Promise<number | undefined> {
  // Opened, because a network file system may answer for a path from what it remembers.
  const file = await open(path, constants.O_RDONLY).catch(() => undefined);
  try {
    return (await file?.stat())?.mtimeMs;
  } finally {
    await file?.close();
  }
}

function held(path: string, text: string, file: FileHandle, beatMs: number): Lock {
  let isLost = false;
  const look = async () => {
    isLost ||= (await contentOf(path)) !== text;
  };
  const beat = async () => {
    const now = new Date();
    await file.utimes(now, now);
    await look();
  };
  const timer = setInterval(() => void beat().catch(() => undefined), beatMs).unref();
  const check = () => {
    if (isLost) throw lost(path);
  };
  return {
    check,
    confirm: () => look().then(check),
    release: async () => {
      clearInterval(timer);
      if ((await contentOf(path)) === text) await rm(path, { force: true });
      await file.close();
    },
  };
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

function taken(path: string, content: string): ConflictError {
  return new ConflictError(`The same work is under way already: ${path} belongs to ${describeOwner(content)}.`, {
    hint: 'Wait until that has ended. The lock of a process that was killed is free after a minute at most.',
  });
}

function lost(path: string): ConflictError {
  return new ConflictError(`Another process has taken the lock ${path}, or removed it.`, {
    hint: 'Wait until that has ended, then go on with resume=true.',
  });
}
