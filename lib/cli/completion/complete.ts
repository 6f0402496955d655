import type { Subcommand } from '../../hosts/terminal/subcommand.ts';

/** `aisec __complete -- SHELL ...`: prints a directive, then one candidate a line. It never fails and never waits. */
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
      // A message would appear in the middle of the line that is typed.
      screen.result(':');
    }
    return 0;
  },
};
