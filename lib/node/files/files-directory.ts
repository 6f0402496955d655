import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownedName, removeStaleFolders } from './unfinished.ts';

/** A directory for files of a server. */
export interface FilesDirectory {
  readonly directory: string;
  /** Removes a temporary directory; a named directory stays. */
  remove(): Promise<void>;
}

/**
 * Returns the named directory, or creates a temporary one and removes those of killed processes.
 * @param prefix of temporary directories
 */
export async function filesDirectory(named: string | undefined, prefix: string): Promise<FilesDirectory> {
  if (named !== undefined) return { directory: named, remove: async () => undefined };
  await removeStaleFolders(tmpdir(), prefix);
  const directory = join(tmpdir(), ownedName(prefix));
  // Fail if the name is taken.
  await mkdir(directory, { mode: 0o700 });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
