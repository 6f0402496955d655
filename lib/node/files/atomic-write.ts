/** Writes files atomically to a path that the user names; replaces existing files. */
import type { Stats } from 'node:fs';
import { chmod, chown, open, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, unlessMissing } from '../system/system-error.ts';
import { claimName, OWNER_ONLY } from './commit-file.ts';
import { removeStale, unfinishedPath } from './unfinished.ts';
import { cannotWrite, tryFile } from './writable.ts';

/** Mode of a new file, before the umask. */
const DEFAULT_MODE = 0o666;

/**
 * Writes a file in one step: if the process is killed, either the old or the new file is there. An existing file keeps its
 * mode and owner; a symbolic link stays, and its target is written. @param mode mode of a new file, before the umask
 * @throws ConfigurationError if it cannot be written
 */
export async function writeFileAtomically(path: string, text: string, mode = DEFAULT_MODE): Promise<void> {
  await explainFailure(path, async () => {
    const target = await targetOf(path);
    const existing = await stat(target).catch(unlessMissing);
    // A pipe or a device, such as /dev/stdout, must not be replaced by a file.
    if (existing?.isFile() === false) return writeFile(target, text);
    const directory = dirname(target);
    const unfinished = unfinishedPath(directory);
    await removeStale(directory);
    try {
      // Create the file private: `copyOwnership` sets its final mode before the file gets its name.
      await writeFile(unfinished, text, { flag: 'wx', mode: existing === undefined ? mode : OWNER_ONLY });
      if (existing !== undefined) await copyOwnership(unfinished, existing);
      await replaceFile(unfinished, target);
    } catch (thrown) {
      // Report the first failure.
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw thrown;
    }
  });
}

/**
 * Writes a file that does not exist yet, in one step. @param mode mode of the file, before the umask @returns false if
 * the name exists already, and leaves it unchanged
 * @throws ConfigurationError if it cannot be written
 */
export async function writeNewFile(path: string, text: string, mode = DEFAULT_MODE): Promise<boolean> {
  return explainFailure(path, async () => {
    const directory = dirname(path);
    const unfinished = unfinishedPath(directory);
    await removeStale(directory);
    try {
      await writeFile(unfinished, text, { flag: 'wx', mode });
      return await claimName(unfinished, path);
    } finally {
      // The file's name is a separate link.
      await rm(unfinished, { force: true }).catch(() => undefined);
    }
  });
}

/** Windows errors while another program, such as a virus scanner, has the file open. */
const IN_USE = new Set(['EACCES', 'EBUSY', 'EPERM']);
const RENAME_WAITS_MS = [10, 50, 200, 500];

/** Renames a file over another file. On Windows it waits for programs that have the other file open. */
export async function replaceFile(
  from: string,
  to: string,
  { platform = process.platform, move = rename }: { platform?: NodeJS.Platform; move?: typeof rename } = {},
): Promise<void> {
  for (const ms of platform === 'win32' ? RENAME_WAITS_MS : []) {
    try {
      return await move(from, to);
    } catch (thrown) {
      if (!IN_USE.has(codeOf(thrown) ?? '')) throw thrown;
      await pause(ms);
    }
  }
  return move(from, to);
}

async function copyOwnership(path: string, { uid, gid, mode }: Stats): Promise<void> {
  // Only root can change the owner; any other user either owns the file already or becomes its owner by replacing it.
  await chown(path, uid, gid).catch(() => undefined);
  await chmod(path, mode & 0o7777);
}

/**
 * Checks before any work that a file can be written.
 * @throws ConfigurationError if not
 */
export async function checkFileWritable(path: string): Promise<void> {
  await explainFailure(path, async () => {
    const existing = await stat(path).catch(unlessMissing);
    if (existing?.isDirectory() === false && !existing.isFile()) return;
    // Open the file by its real name, because the system may not follow other users' links.
    if (existing !== undefined) await (await open(path, 'r+')).close();
    await tryFile(dirname(await targetOf(path)));
  });
}

async function explainFailure<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    throw cannotWrite(`The file ${path} cannot be written`, thrown, 'Check the directory and its permissions.');
  }
}

/** Resolves a path, even if the file does not exist yet. */
async function targetOf(path: string): Promise<string> {
  const found = await realpath(path).catch(unlessMissing);
  if (found !== undefined) return found;
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? path : targetOf(resolve(dirname(path), link));
}
