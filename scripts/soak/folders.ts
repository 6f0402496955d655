/** Rotates output folders, and removes old ones, so that files do not accumulate. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Folders to keep: commands that write into a folder end long before it is removed. */
const KEPT = 12;
const UNFINISHED = /^\.|\.(?:lock|takeover)$/;

export interface Folders {
  current(): string;
  /** Switches to a new folder. */
  next(): void;
  /** Removes all folders, after all commands have ended. */
  removeAll(): void;
  /** Temporary files and locks found in removed folders. */
  readonly leftovers: readonly string[];
}

/** Creates the first folder. @param top an existing folder */
export function folders(top: string): Folders {
  const leftovers: string[] = [];
  const all: string[] = [];
  let number = 0;
  const remove = (folder: string) => {
    leftovers.push(...readdirSync(folder).filter((name) => UNFINISHED.test(name)));
    rmSync(folder, { recursive: true });
  };
  const next = () => {
    number += 1;
    const folder = join(top, `output-${number}`);
    mkdirSync(folder);
    all.push(folder);
    for (const old of all.splice(0, all.length - KEPT)) remove(old);
  };
  next();
  return {
    current: () => all.at(-1) ?? top,
    next,
    removeAll: () => {
      for (const folder of all.splice(0)) remove(folder);
    },
    leftovers,
  };
}
