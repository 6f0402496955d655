/** Gives a finished file its name, atomically and without overwriting another file. */
import { link, open, readdir, rename } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { codeOf } from '../system/system-error.ts';

/** Mode of files with prompts and responses. */
export const OWNER_ONLY = 0o600;

const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK']);

/** Gives a finished file the first free name: `name.zip`, `name (1).zip`, ... */
export async function commitFile(unfinished: string, directory: string, name: string): Promise<string> {
  const path = join(directory, name);
  if (await claimName(unfinished, path)) return path;
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  // Read the directory once, because trying one name after another would get slower with every file.
  const used = new Set(await readdir(directory));
  for (let number = 1; ; number += 1) {
    const numbered = `${stem} (${number})${extension}`;
    if (used.has(numbered)) continue;
    const free = join(directory, numbered);
    if (await claimName(unfinished, free)) return free;
  }
}

/**
 * Gives a file a name if the name is free; the old name stays if the file system supports links.
 * @returns false if the name is taken
 */
export async function claimName(unfinished: string, path: string): Promise<boolean> {
  try {
    await link(unfinished, path);
    return true;
  } catch (thrown) {
    const code = codeOf(thrown) ?? '';
    if (code === 'EEXIST') return false;
    // Without links, an empty file claims the name and is replaced in a second step.
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
