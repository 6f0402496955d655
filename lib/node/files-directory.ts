import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory for files of a server. */
export interface FilesDirectory {
  readonly directory: string;
  /** Removes a directory that was made for this start; one that was named stays. */
  remove(): Promise<void>;
}

/** Returns the directory that was named, or makes a temporary one. @param prefix of the temporary one */
export async function filesDirectory(named: string | undefined, prefix: string): Promise<FilesDirectory> {
  if (named !== undefined) return { directory: named, remove: async () => undefined };
  const directory = await mkdtemp(join(tmpdir(), prefix));
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
