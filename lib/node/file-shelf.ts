/** Files that others may fetch: only these, by ids that cannot be guessed, and each only by its owner. */
import { randomBytes } from 'node:crypto';
import type { SavedFile } from '../ports.ts';

/** More than this, and the oldest is forgotten; the file itself stays. */
const MOST = 10_000;

export interface ShelvedFile {
  /** 24 hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  /** In bytes, if known. */
  readonly size: number | undefined;
  /** Path of the machine; callers must not see it. */
  readonly path: string;
  readonly owner: string;
  /** Name of the command that made it; undefined: its owner sent it. */
  readonly madeBy: string | undefined;
}

export interface FileShelf {
  /** @param madeBy name of the command that made it */
  add(file: SavedFile, owner?: string, madeBy?: string): ShelvedFile;
  list(owner?: string): readonly ShelvedFile[];
  /** Finds a file. @returns undefined for an id that is not one of the owner's */
  find(id: string, owner?: string): ShelvedFile | undefined;
  remove(id: string): void;
}

/** Creates an empty shelf. @param most maximum number of files */
export function fileShelf(most = MOST): FileShelf {
  const files = new Map<string, ShelvedFile>();
  return {
    add({ entry, name, size, contentType }, owner = '', madeBy = undefined) {
      const id = randomBytes(12).toString('hex');
      const file = { id, name, contentType, size, path: entry, owner, madeBy };
      files.set(id, file);
      for (const oldest of files.keys()) {
        if (files.size <= most) break;
        files.delete(oldest);
      }
      return file;
    },
    list: (owner = '') => [...files.values()].filter((file) => file.owner === owner),
    find(id, owner = '') {
      const found = files.get(id);
      return found?.owner === owner ? found : undefined;
    },
    remove: (id) => void files.delete(id),
  };
}
