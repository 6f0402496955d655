/** Identifies processes: their numbers are reused, and each container counts from 1. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from './system-error.ts';

export interface ProcessIdentity {
  readonly host: string;
  readonly process: number;
  /** The identity on Linux, in addition to the process number; undefined elsewhere. */
  readonly linux?: LinuxIdentity;
}

interface LinuxIdentity {
  /** Id of the running kernel: the same in all containers of a machine, new after a restart. */
  readonly boot: string;
  /** The PID namespace, such as `pid:[4026531836]`. */
  readonly namespace: string;
  /** Clock ticks from the start of the kernel to the start of the process, as a string. */
  readonly start: string;
}

/** Returns the identity of this process. */
export function thisProcess(): ProcessIdentity {
  const linux = process.platform === 'linux' ? linuxIdentity() : undefined;
  return { host: hostname(), process: process.pid, ...(linux === undefined ? {} : { linux }) };
}

function linuxIdentity(): LinuxIdentity | undefined {
  try {
    const self = readStat('self');
    // A container may see the processes of its machine, where its own process has another number.
    if (self?.process !== process.pid) return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { boot, namespace: readlinkSync('/proc/self/ns/pid'), start: self.start };
  } catch {
    return undefined;
  }
}

/**
 * Checks whether a process is alive.
 * @param from the caller's own process
 * @returns undefined if that is unknown: on another machine, or in another container
 */
export function isAlive(wanted: ProcessIdentity, from: ProcessIdentity): boolean | undefined {
  const [theirs, ours] = [wanted.linux, from.linux];
  if (theirs === undefined || ours === undefined) {
    // Linux hides the processes of other containers; elsewhere an unused number means that the process is dead.
    const sees = theirs === ours && process.platform !== 'linux' && wanted.host === from.host;
    return sees && !isTaken(wanted.process) ? false : undefined;
  }
  if (theirs.boot !== ours.boot || theirs.namespace !== ours.namespace) return undefined;
  const stat = readStat(String(wanted.process));
  if (stat !== undefined) return stat.start === theirs.start && !stat.isZombie;
  // A machine may hide the processes of other users.
  return isTaken(wanted.process) ? undefined : false;
}

/** Returns true if a process or a thread has this number. */
function isTaken(number: number): boolean {
  try {
    process.kill(number, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) !== 'ESRCH';
  }
}

const STATE = 0;
const START = 19;

/** Reads `/proc/<name>/stat`; a killed process is a zombie until its parent waits for it. */
function readStat(name: string): { process: number; start: string; isZombie: boolean } | undefined {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    // The program name is in brackets, and may contain brackets and spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const start = fields[START];
    if (start === undefined) return undefined;
    return { process: Number.parseInt(text, 10), start, isZombie: /[ZXx]/.test(fields[STATE] ?? '') };
  } catch {
    return undefined;
  }
}
