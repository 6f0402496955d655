import type { Subcommand } from '../../hosts/terminal/subcommand.ts';

/** `aisec __refresh LIST-COMMAND`: fetches the values that completion knows. Runs detached. */
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
      import('../../hosts/terminal/complete/known-values.ts'),
      import('../../hosts/terminal/modes/session.ts'),
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
