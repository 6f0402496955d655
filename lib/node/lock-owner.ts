/** The text of a lock file: who owns the lock, so that others can tell whether the owner still lives. */
import { randomBytes } from 'node:crypto';
import { isObject } from '../json.ts';
import { type ProcessIdentity, thisProcess } from './process.ts';

export interface LockOwner extends ProcessIdentity {
  readonly since: string;
  /** The owner's lock file is locked by the kernel for as long as the owner lives. */
  readonly kernel: boolean;
}

/** @returns a text that no other attempt has */
export function ownerText(here: ProcessIdentity, kernel: boolean): string {
  const since = new Date().toISOString();
  return JSON.stringify({ ...here, since, kernel, id: randomBytes(8).toString('hex') });
}

/** @returns undefined for a text that names no owner */
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

/** The owner, for people: `process 17 on build-3, since 2026-11-22T07:00:00.000Z`. */
export function describeOwner(text: string): string {
  const owner = ownerIn(text);
  if (owner === undefined) return 'another process';
  const [theirs, ours] = [owner.linux, thisProcess().linux];
  // Its number means nothing where the user would look for it.
  const isElsewhere = theirs !== undefined && theirs.boot === ours?.boot && theirs.namespace !== ours.namespace;
  const place = isElsewhere ? ' in another container' : '';
  return `process ${owner.process} on ${owner.host}${place}, since ${owner.since}`;
}
