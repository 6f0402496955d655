/**
 * Locks work for one process by exclusively creating a file that names the owner. An owner is alive if its process
 * is visible to this process. If processes are not visible, its heartbeat decides: the time at which the owner last touched
 * the file.
 */
import { randomBytes } from 'node:crypto';
import { constants, open, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { isAlive, type ProcessIdentity, thisProcess } from '../system/process.ts';
import { codeOf, unlessMissing } from '../system/system-error.ts';
import { acquire } from './acquire-lock.ts';
import { OWNER_ONLY } from './commit-file.ts';

export interface Lock {
  /**
   * Checks the state at the last heartbeat, or the current state if that was long ago.
   * @throws ConflictError if the lock was lost
   */
  check(): Promise<void>;
  /** Checks the current state. @throws ConflictError if the lock was lost */
  confirm(): Promise<void>;
  release(): Promise<void>;
}

export interface LockOptions {
  /** Interval of the heartbeat. */
  readonly heartbeatMs?: number;
  /** An owner without a heartbeat for this time may be dead. */
  readonly leaseMs?: number;
}

const MAX_TURN_MS = 20;
const [HEARTBEAT_MS, LEASE_MS] = [2500, 10_000];

/**
 * Acquires a lock. @throws ConflictError with file and owner if another process holds it
 */
export async function lock(path: string, options: LockOptions = {}): Promise<Lock> {
  const { heartbeatMs = HEARTBEAT_MS, leaseMs = LEASE_MS } = options;
  const here = thisProcess();
  const text = ownerText(here);
  const began = Date.now();
  const isMine = await acquire(path, {
    create: (name) => createdWith(name, text),
    read: contentOf,
    isOwnerAlive: async (name, theirs) =>
      livenessOf(theirs, here) ?? (await hasHeartbeat(name, { heartbeatMs, leaseMs })),
    replace: rename,
    remove: (name) => rm(name, { force: true }),
    wait: (turn) => sleep(Math.min(turn, MAX_TURN_MS)),
  });
  if (isMine) return heldLock({ path, text, heartbeatMs, began });
  const owner = describeOwner((await contentOf(path)) ?? '', here);
  throw new ConflictError(`The same work is already running: ${path} belongs to ${owner}.`, {
    hint: 'Wait for its end. The lock of a killed process is free after ten seconds.',
  });
}

/** Creates a file. A process that is killed before it has written the text leaves a file without an owner, which expires. */
async function createdWith(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: OWNER_ONLY });
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    await rm(path, { force: true });
    throw thrown;
  }
}

interface LockOwner extends ProcessIdentity {
  readonly since: string;
}

/** Returns the text of a lock file, unique to each attempt. */
export function ownerText(here: ProcessIdentity): string {
  return JSON.stringify({ ...here, since: new Date().toISOString(), id: randomBytes(8).toString('hex') });
}

/** Reads the owner. @returns undefined if the text names no owner */
function ownerIn(text: string): LockOwner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || typeof value['process'] !== 'number') return undefined;
    const { process, host, since, linux } = value;
    const owner = { process, host: String(host), since: String(since) };
    if (!isObject(linux)) return owner;
    const { boot, namespace, start } = linux;
    return { ...owner, linux: { boot: String(boot), namespace: String(namespace), start: String(start) } };
  } catch {
    return undefined;
  }
}

/** Describes the owner for messages: `process 17 on build-3, since 2026-11-22T07:00:00.000Z`. */
function describeOwner(text: string, { linux: ours }: ProcessIdentity): string {
  const owner = ownerIn(text);
  if (owner === undefined) return 'another process';
  const { linux: theirs } = owner;
  // In another container, the process number has another meaning.
  const isElsewhere = theirs !== undefined && theirs.boot === ours?.boot && theirs.namespace !== ours.namespace;
  const location = isElsewhere ? ' in another container' : '';
  return `process ${owner.process} on ${owner.host}${location}, since ${owner.since}`;
}

function livenessOf(text: string, here: ProcessIdentity): boolean | undefined {
  const owner = ownerIn(text);
  return owner === undefined ? undefined : isAlive(owner, here);
}

async function hasHeartbeat(path: string, { heartbeatMs, leaseMs }: Required<LockOptions>): Promise<boolean> {
  const last = await lastHeartbeat(path);
  if (last === undefined) return false;
  const age = Date.now() - last;
  if (age >= 0 && age < leaseMs) return true;
  // After the clock was changed or the machine slept, even a live owner's heartbeat looks old.
  await sleep(2.5 * heartbeatMs);
  return (await lastHeartbeat(path)) !== last;
}

/** Returns the time of the last heartbeat, in milliseconds since the epoch; undefined if the file is gone. */
async function lastHeartbeat(path: string): Promise<number | undefined> {
  // Open the file, because a network file system may cache the attributes of a path.
  const file = await open(path, constants.O_RDONLY).catch(() => undefined);
  try {
    return (await file?.stat())?.mtimeMs;
  } finally {
    await file?.close();
  }
}

interface Held {
  readonly path: string;
  readonly text: string;
  readonly heartbeatMs: number;
  /** When acquiring the lock began. */
  readonly began: number;
}

function heldLock({ path, text, heartbeatMs, began }: Held): Lock {
  let isLost = false;
  let seen = began;
  const verify = async () => {
    const now = Date.now();
    isLost ||= (await contentOf(path)) !== text;
    seen = now;
  };
  const heartbeat = async () => {
    await verify();
    if (!isLost) await utimes(path, new Date(), new Date());
  };
  const timer = setInterval(() => void heartbeat().catch(() => undefined), heartbeatMs).unref();
  const requireLock = () => {
    if (!isLost) return;
    throw new ConflictError(`Another process has taken the lock ${path}, or removed it.`, {
      hint: 'Wait for its end, then continue with resume=true.',
    });
  };
  return {
    check: async () => {
      // A process that was suspended may have lost the lock since its last heartbeat; the clock may have been set
      // forward or back.
      if (Math.abs(Date.now() - seen) > 2 * heartbeatMs) await verify();
      requireLock();
    },
    confirm: () => verify().then(requireLock),
    release: async () => {
      clearInterval(timer);
      if ((await contentOf(path)) === text) await rm(path, { force: true });
    },
  };
}

function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(unlessMissing);
}
