/** How a finished file gets its name: in one step, and never in the place of another file. */
import { link, open, readdir, rename } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { codeOf } from './system-error.ts';

/** What people wrote, and what models answered, is for the user alone. */
export const OWNER_ONLY = 0o600;

const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK']);

/** Gives a finished file the first name that is free: `name.zip`, `name (1).zip`, ... */
export async function commitFile(unfinished: string, directory: string, name: string): Promise<string> {
  const path = join(directory, name);
  if (await claimName(unfinished, path)) return path;
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  // The directory is read once: to try one name after another would take ever longer with every file.
  const used = new Set(await readdir(directory));
  for (let number = 1; ; number += 1) {
    const numbered = `${stem} (${number})${extension}`;
    if (used.has(numbered)) continue;
    const free = join(directory, numbered);
    if (await claimName(unfinished, free)) return free;
  }
}

/**
 * Gives a file a name if it is free; the old name stays where the file system knows links.
 * @returns false when it is taken
 */
export async function claimName(unfinished: string, path: string): Promise<boolean> {
  try {
    await link(unfinished, path);
    return true;
  } catch (thrown) {
    const code = codeOf(thrown) ?? '';
    if (code === 'EEXIST') return false;
    // Some file systems know no links; there the name is taken first, and filled in a second step.
    if (!WITHOUT_LINKS.has(code)) throw thrown;
  }
  try {
    await (await open(path, 'wx', OWNER_ONLY)).close();
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
  await rename(unfinished, path);
  return true;
}
