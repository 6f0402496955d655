/** Writes a file that the user named, over the one that is there. */
import type { Stats } from 'node:fs';
import { chmod, chown, open, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { OWNER_ONLY } from './publish.ts';
import { codeOf } from './system-error.ts';
import { removeStale, unfinishedPath } from './unfinished.ts';
import { cannotWrite, tryFile } from './writable.ts';

/** Of a new file that everybody may read whom the user's umask does not shut out. */
const USUAL = 0o666;

/**
 * Writes a file in one step: a kill leaves the old one or the new one. An existing file keeps its mode and its owner, and
 * a symbolic link stays: the file that it points to is written.
 * @param mode of a new file, less the user's umask
 * @throws ConfigurationError when it cannot be written
 */
export async function writeWhole(path: string, text: string, mode = USUAL): Promise<void> {
  await named(path, async () => {
    const target = await targetOf(path);
    const existing = await statIfThere(target);
    // A pipe or a device, such as /dev/stdout, is written to: a file in its place would be the end of it.
    if (existing?.isFile() === false) return writeFile(target, text);
    const directory = dirname(target);
    const unfinished = unfinishedPath(directory);
    await removeStale(directory);
    try {
      // Closed to others from the start: its own mode comes before its name.
      await writeFile(unfinished, text, { flag: 'wx', mode: existing === undefined ? mode : OWNER_ONLY });
      if (existing !== undefined) await takeAfter(unfinished, existing);
      await rename(unfinished, target);
    } catch (thrown) {
      // The first failure is the one to report.
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw thrown;
    }
  });
}

async function takeAfter(path: string, { uid, gid, mode }: Stats): Promise<void> {
  // Only root may give a file away; everybody else owns it, or replaces the file of another user.
  await chown(path, uid, gid).catch(() => undefined);
  await chmod(path, mode & 0o7777);
}

/**
 * Checks, before any work is done, that a file can be written.
 * @throws ConfigurationError when it cannot
 */
export async function checkWhole(path: string): Promise<void> {
  await named(path, async () => {
    const existing = await statIfThere(path);
    if (existing?.isDirectory() === false && !existing.isFile()) return;
    // Opened by its own name: the system knows which links of other users are not to be followed.
    if (existing !== undefined) await (await open(path, 'r+')).close();
    await tryFile(dirname(await targetOf(path)));
  });
}

async function named<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    throw cannotWrite(`The file ${path} cannot be written`, thrown, 'Check the directory and its permissions.');
  }
}

/** Where a path leads to, even where the file is not there yet. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown;
  }
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? path : targetOf(resolve(dirname(path), link));
}

async function statIfThere(path: string) {
  try {
    return await stat(path);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
