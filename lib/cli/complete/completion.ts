import { UsageError } from '../../engine/errors.ts';
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';
import { SCRIPTS, SHELLS } from './scripts.ts';

/** `aisec completion SHELL`: prints the script that the shell sources. */
export async function completion({ screen, words: [word] }: SubcommandContext): Promise<number> {
  const shell = SHELLS.find((known) => known === word);
  if (shell === undefined) {
    throw new UsageError('aisec completion needs the name of a shell.', {
      hint: 'For example: source <(aisec completion bash). Shells: bash, zsh, fish.',
    });
  }
  screen.result(SCRIPTS[shell].trimEnd());
  return 0;
}
