/** How a finished file gets its name: in one step, and never in the place of another file. */
import { link, open, rename } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { AisecError, ConfigurationError } from '../../errors.ts';
import { codeOf, codeText } from './system-error.ts';

const MOST_NUMBERS = 10_000;
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK']);

/** Gives a finished file the first name that is free: `name.zip`, `name (1).zip`, ... */
export async function publish(unfinished: string, directory: string, name: string): Promise<string> {
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  for (let number = 0; number < MOST_NUMBERS; number += 1) {
    const path = join(directory, number === 0 ? name : `${stem} (${number})${extension}`);
    if (await take(unfinished, path)) return path;
  }
  throw new ConfigurationError(`There are too many files named ${name} in ${directory}.`);
}

/** Gives a file a name if it is free; the old name stays where the file system knows links. @returns false when it is taken */
export async function take(unfinished: string, path: string): Promise<boolean> {
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
    await (await open(path, 'wx')).close();
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
  await rename(unfinished, path);
  return true;
}

/** Does something in a directory. @throws ConfigurationError when the system does not let it */
export async function writable<Value>(directory: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof AisecError) throw thrown;
    throw new ConfigurationError(`A file cannot be written to ${directory}${codeText(thrown)}.`, {
      hint: 'Choose another directory with --files-dir DIR.',
    });
  }
}
