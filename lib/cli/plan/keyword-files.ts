/** Keeps keywords as private files, because the service takes a dictionary as a file. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OWNER_ONLY } from '../../node/files/commit-file.ts';
import { type FilesDirectory, filesDirectory } from '../../node/files/unfinished.ts';

/** Prefix of the folder, so that the one of a killed process is removed later. */
const PREFIX = 'aisec-keywords-';

/** Files that are there until `remove` is called; the folder is created on first use. */
export function keywordFiles() {
  let folder: FilesDirectory | undefined;
  return {
    /** Writes a text to a file of this name. @returns its path */
    keepText: async (name: string, text: string): Promise<string> => {
      folder ??= await filesDirectory(undefined, PREFIX);
      const path = join(folder.directory, name);
      await writeFile(path, text, { mode: OWNER_ONLY });
      return path;
    },
    remove: async (): Promise<void> => folder?.remove(),
  };
}
