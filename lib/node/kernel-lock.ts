/**
 * The kernel's lock on an open file, `flock(2)`. It ends with the process, however that ends, and is seen in all containers
 * that share the file. Node has no call for it, so the system's `flock` program takes it on our own handle and leaves it with us.
 */
import { spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';

export interface KernelLock {
  /** Locks an open file until it is closed. @returns false where that cannot be had */
  hold(file: FileHandle): Promise<boolean>;
  /** Does another process hold the file? @returns undefined where that cannot be known */
  isHeld(path: string): Promise<boolean | undefined>;
}

/** @param program of util-linux or busybox; where it is missing, nothing is locked */
export function kernelLock(program = 'flock'): KernelLock {
  return {
    hold: async (file) => (await flock(program, '-x', file)) === true,
    isHeld: async (path) => {
      const file = await open(path, 'r').catch(() => undefined);
      if (file === undefined) return undefined;
      try {
        // A shared lock, so that several who look do not take each other for the owner.
        const isFree = await flock(program, '-s', file);
        return isFree === undefined ? undefined : !isFree;
      } finally {
        await file.close();
      }
    },
  };
}

const LONGEST_MS = 5000;
const BUSY = 1;

/** @returns true when it is locked now, false when another process has it, undefined when there is no such lock */
function flock(program: string, mode: '-x' | '-s', { fd }: FileHandle): Promise<boolean | undefined> {
  if (process.platform !== 'linux') return Promise.resolve(undefined);
  return new Promise((resolve) => {
    // The lock belongs to the open file, which parent and child share: it stays when the child has ended.
    const child = spawn(program, [mode, '-n', '3'], {
      stdio: ['ignore', 'ignore', 'ignore', fd],
      env: { PATH: process.env['PATH'] },
      timeout: LONGEST_MS,
    });
    child.once('error', () => resolve(undefined));
    child.once('exit', (code) => resolve(code === 0 ? true : code === BUSY ? false : undefined));
  });
}
