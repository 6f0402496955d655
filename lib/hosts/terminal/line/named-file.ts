/** Reads a text file that the user names, for subcommands that need no session. */

import { readAll } from '../../../core/ports.ts';
import { nodeFiles } from '../../../node/files/files.ts';
import { withInput } from './standard-input.ts';
import type { SubcommandContext } from './subcommand.ts';

/** @param path or `-` for standard input @throws UsageError for a text that cannot be read */
export async function readNamedFile(
  path: string,
  { options, input, signal }: Pick<SubcommandContext, 'options' | 'input' | 'signal'>,
): Promise<string> {
  const { files, remove } = withInput(nodeFiles(options.filesDirectory ?? '.'), { input, signal });
  try {
    return await readAll(files, await files.find(path));
  } finally {
    await remove();
  }
}
