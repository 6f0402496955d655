/**
 * Locks work for one process by a lock file that names its owner. Whether the owner is alive follows from the visible
 * processes, from the kernel's lock on the file, or from the owner's heartbeat: the time at which it last touched the
 * file.
 */
import { constants, type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError } from '../../core/errors.ts';
import { claimName, OWNER_ONLY } from '../files/commit-file.ts';
import { unfinishedPath } from '../files/unfinished.ts';
import { isAlive, type ProcessIdentity, thisProcess } from '../process.ts';
import { unlessMissing } from '../system-error.ts';
import { type KernelLock, kernelLock } from './kernel-lock.ts';
import { describeOwner, ownerIn, ownerText } from './lock-owner.ts';
import { acquire, type LockFiles } from './lock-protocol.ts';

export interface Lock {
  /** Checks the state at the last heartbeat. @throws ConflictError if the lock was lost */
  check(): void;
  /** Checks the current state. @throws ConflictError if the lock was lost */
  confirm(): Promise<void>;
  release(): Promise<void>;
}

export interface LockOptions {
  readonly kernel?: KernelLock;
  /** Interval of the heartbeat. */
  readonly heartbeatMs?: number;
  /** An owner without a heartbeat for this time may be dead. */
  readonly leaseMs?: number;
}

const MAX_TURN_MS = 20;
const [HEARTBEAT_MS, LEASE_MS] = [5000, 60_000];

/**
 * Acquires a lock.
 * @throws ConflictError with file and owner if another process has it
 */
export async function lock(path: string, options: LockOptions = {}): Promise<Lock> {
  const { kernel = kernelLock(), heartbeatMs = HEARTBEAT_MS, leaseMs = LEASE_MS } = options;
  const here = thisProcess();
  const unnamed = unfinishedPath(dirname(path));
  const file = await open(unnamed, 'wx', OWNER_ONLY);
  try {
    // Locked before it gets its name, so that a visible lock file always has an owner.
    const text = ownerText(here, await kernel.hold(file));
    await file.writeFile(text);
    const isMine = await acquire(path, filesOf(unnamed, { here, kernel, heartbeatMs, leaseMs }));
    if (!isMine) {
      const owner = describeOwner((await contentOf(path)) ?? '');
      throw new ConflictError(`The same work is already running: ${path} belongs to ${owner}.`, {
        hint: 'Wait for its end. The lock of a killed process is released after a minute at most.',
      });
    }
    return heldLock(path, text, file, heartbeatMs);
  } catch (thrown) {
    await file.close();
    throw thrown;
  } finally {
    await rm(unnamed, { force: true });
  }
}

/**
 * Implements the operations.
 * @param unnamed the contender's file, which keeps this name if the file system supports links
 */
function filesOf(unnamed: string, observer: Observer): LockFiles {
  return {
    link: (path) => claimName(unnamed, path),
    read: contentOf,
    isOwnerAlive: (path, text) => isOwnerAlive(path, text, observer),
    replace: rename,
    unlink: async (path) => {
      // With links the rename leaves both names of the file; without links it moves the file back.
      await rename(path, unnamed);
      await rm(path, { force: true });
    },
    wait: (turn) => sleep(Math.min(turn, MAX_TURN_MS)),
  };
}

interface Observer extends Required<LockOptions> {
  readonly here: ProcessIdentity;
}

async function isOwnerAlive(path: string, theirs: string, observer: Observer): Promise<boolean> {
  const { here, kernel } = observer;
  const owner = ownerIn(theirs);
  const known = owner === undefined ? undefined : isAlive(owner, here);
  if (known !== undefined) return known;
  if (owner?.kernel === true) {
    const isHeld = await kernel.isHeld(path);
    // Other machines may share the files, but not their locks.
    const isSameKernel = owner.linux !== undefined && owner.linux.boot === here.linux?.boot;
    if (isHeld === true || (isHeld === false && isSameKernel)) return isHeld;
  }
  return hasHeartbeat(path, observer);
}

async function hasHeartbeat(path: string, { heartbeatMs, leaseMs }: Observer): Promise<boolean> {
  const last = await lastHeartbeat(path);
  if (last === undefined) return false;
  const age = Date.now() - last;
  if (age >= 0 && age < leaseMs) return true;
  // After a clock change or a sleep of the machine, the heartbeat of a living owner looks old.
  await sleep(2.5 * heartbeatMs);
  return (await lastHeartbeat(path)) !== last;
}

/** Returns the time of the last heartbeat, in milliseconds since the epoch; undefined if the file is gone. */
async function lastHeartbeat(path: string): Promise<number | undefined> {
  // Opened, because a network file system may cache the attributes of a path.
  const file = await open(path, constants.O_RDONLY).catch(() => undefined);
  try {
    return (await file?.stat())?.mtimeMs;
  } finally {
    await file?.close();
  }
}

function heldLock(path: string, text: string, file: FileHandle, heartbeatMs: number): Lock {
  let isLost = false;
  const verify = async () => {
    isLost ||= (await contentOf(path)) !== text;
  };
  const heartbeat = async () => {
    const now = new Date();
    await file.utimes(now, now);
    await verify();
  };
  const timer = setInterval(() => void heartbeat().catch(() => undefined), heartbeatMs).unref();
  const check = () => {
    if (!isLost) return;
    throw new ConflictError(`Another process has taken the lock ${path}, or removed it.`, {
      hint: 'Wait for its end, then continue with resume=true.',
    });
  };
  return {
    check,
    confirm: () => verify().then(check),
    release: async () => {
      clearInterval(timer);
      if ((await contentOf(path)) === text) await rm(path, { force: true });
      await file.close();
    },
  };
}

function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(unlessMissing);
}
