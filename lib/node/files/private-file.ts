/** Opens files that only their owner may read or change. */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { AisecError, ConfigurationError } from '../../core/errors.ts';
import { codeOf, codeText } from '../system/system-error.ts';
import { OWNER_ONLY } from './commit-file.ts';

const OTHERS = 0o077;
// A pipe without a writer would block the open.
const FLAGS = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a regular file that belongs to this user and that other users cannot access; does not follow links.
 * @param title of the file in messages, such as `token file`
 * @param flags for `open`, such as `O_RDONLY`; a created file gets mode 0600
 * @returns undefined if it does not exist and is not created
 * @throws ConfigurationError if it is anything else, or the system fails
 */
export async function openPrivateFile(title: string, path: string, flags: number): Promise<FileHandle | undefined> {
  const name = `The ${title} ${path}`;
  let file: FileHandle | undefined;
  try {
    file = await open(path, flags | FLAGS, OWNER_ONLY);
    requirePrivate(name, path, await file.stat());
    return file;
  } catch (thrown) {
    await file?.close();
    if (thrown instanceof AisecError) throw thrown;
    const code = codeOf(thrown);
    if (code === 'ENOENT' && (flags & constants.O_CREAT) === 0) return undefined;
    if (code === 'ELOOP') {
      throw new ConfigurationError(`${name} is a symbolic link, which is not followed.`, {
        hint: 'Name the file itself.',
      });
    }
    throw new ConfigurationError(`${name} cannot be opened${codeText(thrown)}.`, {
      hint: 'Check the path and its permissions.',
    });
  }
}

function requirePrivate(name: string, path: string, stats: Stats): void {
  if (!stats.isFile()) throw new ConfigurationError(`${name} is not a file.`, { hint: 'Choose another path.' });
  // Systems without user ids (Windows) have no such modes either.
  const user = process.geteuid?.();
  if (user === undefined) return;
  if (stats.uid !== user) {
    throw new ConfigurationError(`${name} belongs to another user.`, {
      hint: 'Use a file that belongs to the user who runs this program.',
    });
  }
  if ((stats.mode & OTHERS) !== 0) {
    throw new ConfigurationError(`${name} can be read or changed by other users.`, {
      hint: `Restrict it: chmod 600 ${path}`,
    });
  }
}
