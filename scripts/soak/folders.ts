/** Where files go while commands run: a folder for each while, and the old ones removed, or names that are taken would pile up. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Every command that writes into a folder has ended long before it is removed. */
const KEPT = 12;
const UNFINISHED = /^\.|\.(?:lock|takeover)$/;

export interface Folders {
  current(): string;
  /** A new one from now on. */
  next(): void;
  /** Removes all of them; nothing runs any more. */
  removeAll(): void;
  /** Files that are no results and that nobody works at, found where a folder was removed. */
  readonly leftBehind: readonly string[];
}

/** @param top exists already */
export function folders(top: string): Folders {
  const leftBehind: string[] = [];
  const all: string[] = [];
  let number = 0;
  const remove = (folder: string) => {
    leftBehind.push(...readdirSync(folder).filter((name) => UNFINISHED.test(name)));
    rmSync(folder, { recursive: true });
  };
  const next = () => {
    number += 1;
    const folder = join(top, `while-${number}`);
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
    leftBehind,
  };
}
