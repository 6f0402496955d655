import { UsageError } from '../../core/errors.ts';
import type { Subcommand } from '../../hosts/terminal/subcommand.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** `aisec completion SHELL`: prints the script that the shell sources. */
export const completion: Subcommand = {
  usage: 'completion bash|zsh|fish|powershell',
  summary: 'Print a script that completes the command line; source it in the shell.',
  words: 1,
  dryRun: () => 'reads',
  completes: ({ length }) => (length === 0 ? SHELLS : []),
  run: async ({ screen, words: [word] }) => {
    const shell = SHELLS.find((known) => known === word);
    if (shell === undefined) {
      throw new UsageError('aisec completion needs the name of a shell.', {
        hint: 'For example: source <(aisec completion bash). Shells: bash, zsh, fish, powershell.',
      });
    }
    screen.result((await import('./scripts.ts')).SCRIPTS[shell].trimEnd());
    return 0;
  },
};
