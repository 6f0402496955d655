/** Saves results outside of the work tree, in files that only their owner may read. */
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { ConfigurationError } from '../../../errors.ts';
import { nodeFiles } from '../../../node/files.ts';
import { userFolder } from '../../../node/user-folder.ts';
import { checkDirectory } from '../../../node/writable.ts';
import type { Execution } from '../execution.ts';

/** Places for the file, the preferred one first. The working directory is none: a secret there may be committed. */
function directories({ host, options }: Pick<Execution, 'host' | 'options'>): string[] {
  const { filesDirectory } = options;
  return [...(filesDirectory === undefined ? [] : [filesDirectory]), userFolder('state', host.environment), tmpdir()];
}

/** Saves a text in the first directory that takes it. @returns the absolute path; undefined if no directory takes it */
export async function savePrivately(
  name: string,
  text: string,
  execution: Pick<Execution, 'host' | 'options'>,
): Promise<string | undefined> {
  for (const directory of directories(execution)) {
    try {
      const writer = await nodeFiles(directory).create(name, 'application/json');
      await writer.write(text);
      return (await writer.close()).entry;
    } catch {
      // The next directory may have room.
    }
  }
  return undefined;
}

/** Checks before a request that its secret can be saved. @throws ConfigurationError if not */
export async function requireRoom(execution: Pick<Execution, 'host' | 'options'>): Promise<void> {
  for (const directory of directories(execution)) {
    const isWritable = await checkDirectory(directory).then(
      () => true,
      () => false,
    );
    if (isWritable) return;
  }
  throw new ConfigurationError('The secret that this command returns once cannot be saved: no directory is writable.', {
    hint: 'Choose a directory with --files-dir DIR, print the secret with --reveal, or use --output json.',
  });
}

export function discard(path: string): Promise<void> {
  return rm(path, { force: true });
}
