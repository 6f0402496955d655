import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownedName, removeStaleFolders } from './unfinished.ts';

/** A directory for files of a server. */
export interface FilesDirectory {
  readonly directory: string;
  /** Removes a directory that was made for this start; one that was named stays. */
  remove(): Promise<void>;
}

/** Returns the directory that was named, or makes a temporary one; those of killed processes go. @param prefix of the temporary one */
export async function filesDirectory(named: string | undefined, prefix: string): Promise<FilesDirectory> {
  if (named !== undefined) return { directory: named, remove: async () => undefined };
  await removeStaleFolders(tmpdir(), prefix);
  const directory = join(tmpdir(), ownedName(prefix));
  // It fails if somebody has taken the name.
  await mkdir(directory, { mode: 0o700 });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
