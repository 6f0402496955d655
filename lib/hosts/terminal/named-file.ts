/** Reads a text file that the user names, for subcommands that need no session for it. */
import { nodeFiles } from '../../node/files.ts';
import { readAll } from '../../text/read-all.ts';
import type { Options } from './cli-options.ts';

/** @throws UsageError for a file that cannot be read */
export async function readNamedFile(
  path: string,
  { filesDirectory = '.' }: Pick<Options, 'filesDirectory'>,
): Promise<string> {
  const files = nodeFiles(filesDirectory);
  return readAll(files, await files.find(path));
}
