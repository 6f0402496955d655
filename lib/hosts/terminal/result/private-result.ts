/** Saves results outside the work tree, in files that only their owner can read. */
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { ConfigurationError } from '../../../core/errors.ts';
import { nodeFiles } from '../../../node/files/files.ts';
import { checkDirectory } from '../../../node/files/writable.ts';
import { userFolder } from '../../../node/system/user-folder.ts';
import type { Issued } from '../../../runtime/output/result.ts';
import type { Execution } from '../line/subcommand.ts';
import { jsonText } from '../ui/json.ts';

/** Directories for the file, in order of preference. Never the working directory, where a secret may be committed. */
function directories({ host, options }: Pick<Execution, 'host' | 'options'>): string[] {
  const { filesDirectory } = options;
  return [...(filesDirectory === undefined ? [] : [filesDirectory]), userFolder('state', host.environment), tmpdir()];
}

/**
 * Saves text in the first directory that allows it. @returns the absolute path; undefined if no directory allows it
 */
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
      // The next directory may have space.
    }
  }
  return undefined;
}

/** Saves a one-time secret. @returns the absolute path; undefined if no directory allows it */
export function saveIssued(
  { path, record }: Issued,
  execution: Pick<Execution, 'host' | 'options'>,
): Promise<string | undefined> {
  return savePrivately(`${path.replace(/\W+/g, '-')}.json`, `${jsonText(record(), true)}\n`, execution);
}

/** Prints where a one-time secret is. @param path its file; undefined if it could not be saved */
export function noteIssued({ names, record }: Issued, path: string | undefined, screen: Execution['screen']): void {
  if (path !== undefined) {
    const list = names.join(', ');
    screen.note(`note: ${list} is returned this one time only: saved in ${path}, which only its owner can read.`);
    return;
  }
  // Otherwise the secret is lost, and applications may have no access until they get it.
  for (const each of names) screen.note(`warning: ${each} could not be saved. It is: ${String(record()[each])}`);
}

const NO_ROOM = {
  secret: 'The secret that this command returns once',
  hint: 'Choose a directory with --files-dir DIR, print the secret with --reveal, or use --output json.',
};

/** Checks before a request that its secret can be saved. @throws ConfigurationError if it cannot */
export async function requireRoom(
  execution: Pick<Execution, 'host' | 'options'>,
  { secret, hint } = NO_ROOM,
): Promise<void> {
  for (const directory of directories(execution)) {
    const isWritable = await checkDirectory(directory).then(
      () => true,
      () => false,
    );
    if (isWritable) return;
  }
  throw new ConfigurationError(`${secret} cannot be saved: no directory is writable.`, { hint });
}

export function discard(path: string): Promise<void> {
  return rm(path, { force: true });
}
