/** Writes and reads the text of a lock file, which identifies its owner. */
import { randomBytes } from 'node:crypto';
import { isObject } from '../../core/json.ts';
import { type ProcessIdentity, thisProcess } from '../process.ts';

export interface LockOwner extends ProcessIdentity {
  readonly since: string;
  /** The kernel locks the owner's lock file while the owner is alive. */
  readonly kernel: boolean;
}

/** Returns the text of a lock file, unique to each attempt. */
export function ownerText(here: ProcessIdentity, kernel: boolean): string {
  const since = new Date().toISOString();
  return JSON.stringify({ ...here, since, kernel, id: randomBytes(8).toString('hex') });
}

/** Reads the owner. @returns undefined if the text names no owner */
export function ownerIn(text: string): LockOwner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || typeof value['process'] !== 'number') return undefined;
    const { process, host, since, kernel } = value;
    const linux = linuxIn(value['linux']);
    const owner = { process, host: String(host), since: String(since), kernel: kernel === true };
    return linux === undefined ? owner : { ...owner, linux };
  } catch {
    return undefined;
  }
}

function linuxIn(value: unknown): ProcessIdentity['linux'] {
  if (!isObject(value)) return undefined;
  return { boot: String(value['boot']), namespace: String(value['namespace']), start: String(value['start']) };
}

/** Describes the owner for messages: `process 17 on build-3, since 2026-11-22T07:00:00.000Z`. */
export function describeOwner(text: string): string {
  const owner = ownerIn(text);
  if (owner === undefined) return 'another process';
  const [theirs, ours] = [owner.linux, thisProcess().linux];
  // In another container the process number has another meaning.
  const isElsewhere = theirs !== undefined && theirs.boot === ours?.boot && theirs.namespace !== ours.namespace;
  const location = isElsewhere ? ' in another container' : '';
  return `process ${owner.process} on ${owner.host}${location}, since ${owner.since}`;
}
