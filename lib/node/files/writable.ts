/** Checks before any request whether files can be written, and explains failures. */
import { lstat, open, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AisecError, ConfigurationError } from '../../core/errors.ts';
import { codeOf, codeText } from '../system/system-error.ts';
import { OWNER_ONLY } from './commit-file.ts';
import { unfinishedPath } from './unfinished.ts';

const FILES_DIR = 'Choose another directory with --files-dir DIR.';

/**
 * Performs an operation that writes to a directory.
 * @param hint how to choose another directory
 * @throws ConfigurationError if the system fails
 */
export async function writing<Value>(directory: string, work: () => Promise<Value>, hint = FILES_DIR): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof AisecError) throw thrown;
    throw cannotWrite(`A file cannot be written to ${directory}`, thrown, hint);
  }
}

/** Returns the error of a failed write. @param hint used unless the disk is full */
export function cannotWrite(what: string, thrown: unknown, hint: string): ConfigurationError {
  const code = codeOf(thrown) ?? '';
  if (!FULL.has(code)) return new ConfigurationError(`${what}${codeText(thrown)}.`, { hint });
  const why = code === 'ENOSPC' ? 'the disk is full' : 'the disk quota is used up';
  return new ConfigurationError(`${what}: ${why} (${code}).`, { hint: 'Free some space, or write to another disk.' });
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Checks that files can be created in a directory, or in its nearest existing parent. @param hint how to choose another
 * directory
 * @throws ConfigurationError if not
 */
export async function checkDirectory(directory: string, hint?: string): Promise<void> {
  await writing(directory, async () => tryFile(await nearest(resolve(directory))), hint);
}

/** Creates and removes a file, because permissions do not show a full or read-only disk. */
export async function tryFile(directory: string): Promise<void> {
  const path = unfinishedPath(directory);
  await (await open(path, 'wx', OWNER_ONLY)).close();
  await rm(path);
}

async function nearest(path: string): Promise<string> {
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : nearest(dirname(path));
}
