/** Files that clients may fetch by unguessable ids; only the owner of a file may fetch it. */
import { randomBytes } from 'node:crypto';
import type { SavedFile } from '../../core/ports.ts';

/** Beyond this number, the owner's oldest file is dropped from the shelf; the file itself stays. */
const MOST = 10_000;

export interface ShelvedFile {
  /** 24 hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  /** In bytes, if known. */
  readonly size: number | undefined;
  /** Local path; callers must not see it. */
  readonly path: string;
  readonly owner: string;
  /** Name of the command that created the file; undefined if its owner uploaded it. */
  readonly madeBy: string | undefined;
}

export interface FileShelf {
  /** @param madeBy name of the command that created the file */
  add(file: SavedFile, owner?: string, madeBy?: string): ShelvedFile;
  list(owner?: string): readonly ShelvedFile[];
  /** Finds a file. @returns undefined if the owner has no file with this id */
  find(id: string, owner?: string): ShelvedFile | undefined;
  remove(id: string): void;
}

/** Called with the number of bytes by which an owner's files grow or shrink. */
export type CountBytes = (owner: string, bytes: number) => void;

/** Creates an empty shelf. @param most maximum number of files per owner */
export function fileShelf(most = MOST, count: CountBytes = () => undefined): FileShelf {
  const files = new Map<string, ShelvedFile>();
  const list = (owner: string) => [...files.values()].filter((file) => file.owner === owner);
  const counts = new Map<string, number>();
  const forget = ({ id, owner, size = 0 }: ShelvedFile) => {
    files.delete(id);
    counts.set(owner, (counts.get(owner) ?? 1) - 1);
    count(owner, -size);
  };
  return {
    add({ entry, name, size, contentType }, owner = '', madeBy) {
      const id = randomBytes(12).toString('hex');
      const file = { id, name, contentType, size, path: entry, owner, madeBy };
      files.set(id, file);
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
      count(owner, size ?? 0);
      if ((counts.get(owner) ?? 0) > most) for (const oldest of list(owner).slice(0, -most)) forget(oldest);
      return file;
    },
    list: (owner = '') => list(owner),
    find(id, owner = '') {
      const found = files.get(id);
      return found?.owner === owner ? found : undefined;
    },
    remove: (id) => {
      const file = files.get(id);
      if (file !== undefined) forget(file);
    },
  };
}
