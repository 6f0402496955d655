/** Files of the machine, as `files.ts` has them; it is loaded when the first file is asked for, which most commands never do. */
import type { Files, KeepBytes } from '../ports.ts';

export interface LaterFiles {
  readonly files: Files;
  readonly keep: KeepBytes;
}

/** @param directory where new files go; it is made when it is not there */
export function laterFiles(directory: string): LaterFiles {
  const nodeFiles = async () => (await import('./files.ts')).nodeFiles(directory);
  return {
    files: {
      find: async (entry) => (await nodeFiles()).find(entry),
      read: async (file) => (await nodeFiles()).read(file),
      create: async (name, contentType) => (await nodeFiles()).create(name, contentType),
      checkWritable: async () => (await nodeFiles()).checkWritable?.(),
      journal: async (name, resume) => (await nodeFiles()).journal(name, resume),
    },
    keep: async (name, contentType, bytes) =>
      (await import('./files.ts')).keepBytes(directory)(name, contentType, bytes),
  };
}
