/**
 * The kernel's lock on an open file, `flock(2)`. It ends with the process, even a killed one, and works across
 * containers that share the file. Node has no call for it, so the system's `flock` program locks the handle that it
 * inherits.
 */
import { spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';

export interface KernelLock {
  /** Locks an open file until it is closed. @returns false if that is not possible */
  hold(file: FileHandle): Promise<boolean>;
  /** Returns true if another process locks the file; undefined if that is unknown. */
  isHeld(path: string): Promise<boolean | undefined>;
}

/** Creates the lock. @param program of util-linux or busybox; without it nothing is locked */
export function kernelLock(program = 'flock'): KernelLock {
  return {
    hold: async (file) => (await flock(program, '-x', file)) === true,
    isHeld: async (path) => {
      const file = await open(path, 'r').catch(() => undefined);
      if (file === undefined) return undefined;
      try {
        // A shared lock, so that concurrent checks do not take each other for the owner.
        const isFree = await flock(program, '-s', file);
        return isFree === undefined ? undefined : !isFree;
      } finally {
        await file.close();
      }
    },
  };
}

const TIMEOUT_MS = 5000;
const BUSY = 1;

/**
 * Runs `flock`.
 * @returns true if the file is locked now, false if another process has the lock, undefined if locks are not supported
 */
function flock(program: string, mode: '-x' | '-s', { fd }: FileHandle): Promise<boolean | undefined> {
  if (process.platform !== 'linux') return Promise.resolve(undefined);
  return new Promise((resolve) => {
    // The lock belongs to the open file, which parent and child share, so it outlives the child.
    const child = spawn(program, [mode, '-n', '3'], {
      stdio: ['ignore', 'ignore', 'ignore', fd],
      env: { PATH: process.env['PATH'] },
      timeout: TIMEOUT_MS,
    });
    child.once('error', () => resolve(undefined));
    child.once('exit', (code) => resolve(code === 0 ? true : code === BUSY ? false : undefined));
  });
}
