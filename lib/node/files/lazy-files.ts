/** Files of the machine. `files.ts` is loaded on first use, because most commands need no files. */
import type { Files, KeepBytes } from '../../core/ports.ts';
import type { NodeFilesOptions } from './files.ts';

export interface LazyFiles {
  readonly files: Files;
  readonly keep: KeepBytes;
}

/** Creates the port. @param directory for new files; created if missing */
export function lazyFiles(directory: string, options: NodeFilesOptions = {}): LazyFiles {
  const nodeFiles = async () => (await import('./files.ts')).nodeFiles(directory, options);
  return {
    files: {
      find: async (entry) => (await nodeFiles()).find(entry),
      read: async (file) => (await nodeFiles()).read(file),
      exists: async (name) => (await nodeFiles()).exists?.(name) ?? false,
      create: async (name, contentType) => (await nodeFiles()).create(name, contentType),
      checkWritable: async () => (await nodeFiles()).checkWritable?.(),
      journal: async (name, resume) => (await nodeFiles()).journal(name, resume),
    },
    keep: async (name, contentType, bytes) =>
      (await import('./files.ts')).keepBytes(directory)(name, contentType, bytes),
  };
}
