/** Runs the command of a command line, or those of a pipe. */
import { invocationOf } from '../input/invocation.ts';
import { HOLDS_COMMANDS } from '../input/standard-input.ts';
import type { CliContext } from '../subcommand.ts';
import { openSession } from './session.ts';

/** @param words of one command; empty: the commands are on standard input @returns the exit code */
export async function runLines(cli: CliContext, words: readonly string[], signal: AbortSignal): Promise<number> {
  const isOneShot = words.length > 0;
  if (!isOneShot) cli.input.reserve(HOLDS_COMMANDS);
  const invocation = isOneShot ? invocationOf(words) : undefined;
  const session = await openSession({ ...cli, signal });
  try {
    const shared = { ...cli, session };
    if (invocation === undefined) {
      const { runPipe } = await import('./pipe.ts');
      return await runPipe({ ...shared, mode: 'pipe' }, cli.options, signal);
    }
    const { execute } = await import('./execute.ts');
    return await execute(invocation, { ...shared, mode: 'one-shot' }, signal);
  } finally {
    await session.close();
  }
}
