import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigurationError } from '../../errors.ts';
import { codeText } from './system-error.ts';
import { sweep, unfinishedPath } from './unfinished.ts';

/**
 * Writes a file that the user named, over the one that is there: a kill leaves the old one or the new one, never half of it.
 * @throws ConfigurationError when it cannot be written
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const directory = dirname(path);
  const unfinished = unfinishedPath(directory);
  try {
    // A pipe or a device, such as /dev/stdout, is written to: a file in its place would be the end of it.
    if (await isNoFile(path)) return await writeFile(path, text);
    await sweep(directory);
    await writeFile(unfinished, text);
    await rename(unfinished, path);
  } catch (thrown) {
    // The failure that is told is the first one.
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw new ConfigurationError(`The file ${path} cannot be written${codeText(thrown)}.`, {
      hint: 'Check the directory and its permissions.',
    });
  }
}

async function isNoFile(path: string): Promise<boolean> {
  const there = await stat(path).catch(() => undefined);
  return there !== undefined && !there.isFile();
}
