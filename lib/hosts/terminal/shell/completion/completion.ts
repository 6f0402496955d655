import { UsageError } from '../../../../core/errors.ts';
import type { Subcommand } from '../../line/subcommand.ts';

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

/** `aisec __complete -- SHELL ...`: prints a directive, then one candidate per line. It never fails and never waits. */
export const complete: Subcommand = {
  usage: '__complete -- SHELL WORDS',
  summary: 'Prints the candidates for a completion script.',
  words: Number.POSITIVE_INFINITY,
  dryRun: () => 'reads',
  hidden: true,
  run: async ({ host, subcommands, screen, words: [shell = '', ...words] }) => {
    try {
      const { candidateLines } = await import('./candidates.ts');
      screen.result((await candidateLines(shell, words, { host, subcommands })).join('\n'));
    } catch {
      // A message would appear in the middle of the line that the user is typing.
      screen.result(':');
    }
    return 0;
  },
};

/** `aisec __refresh LIST-COMMAND`: fetches values for completion. Runs detached. */
export const refresh: Subcommand = {
  usage: '__refresh LIST-COMMAND',
  summary: 'Refreshes the completion cache.',
  words: 1,
  dryRun: () => ({ refused: 'It writes the cache of completion.', hint: 'Leave out --dry-run.' }),
  hidden: true,
  run: async (cli) => {
    const { host, options, signal, words } = cli;
    const [command = ''] = words;
    const infos = (await host.catalogue()).flatMap((info) => info.arguments);
    const lookup = infos.find((argument) => argument.lookup?.command === command)?.lookup;
    if (lookup === undefined) return 0;
    const [{ fetchValues }, { openSession }, { openValueCache }] = await Promise.all([
      import('../../../../client/completion/known-values.ts'),
      import('../../line/session.ts'),
      import('./value-cache.ts'),
    ]);
    const session = await openSession(cli);
    try {
      const values = await fetchValues(lookup, host.registry, await session.runtime(signal));
      await openValueCache(options, host.environment).write(command, values);
      return 0;
    } finally {
      await session.close();
    }
  },
};
