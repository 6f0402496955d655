import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { ConfigurationError } from '../../errors.ts';
import { codeText } from './system-error.ts';

/**
 * Writes a file that the user named, over the one that is there: a kill leaves the old one or the new one, never half of it.
 * @throws ConfigurationError when it cannot be written
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`;
  try {
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
