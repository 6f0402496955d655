import { flag } from '../line/options.ts';
import type { Subcommand } from '../line/subcommand.ts';

const flags = { json: flag('All details of each command, as JSON.') };

/** `aisec commands [WORD ...]`: lists the commands by group. In a pipe, prints only the lines, uncut, for grep. */
export const commands: Subcommand<typeof flags> = {
  usage: 'commands [WORD ...] [--json]',
  summary: 'List every command by group, or those with a word.',
  everyday: true,
  words: Number.POSITIVE_INFINITY,
  flags,
  dryRun: () => 'reads',
  completes: () => 'groups',
  run: async (cli) => {
    const [{ jsonText }, { printLong }, { commandList, commandsWith }] = await Promise.all([
      import('../ui/json.ts'),
      import('../result/print-long.ts'),
      import('../result/command-groups.ts'),
    ]);
    const { host, options, screen, words } = cli;
    const found = commandsWith(await host.catalogue(), words);
    const asJson = options.json || options.format === 'json';
    await printLong(asJson ? jsonText(found, screen.terminal) : commandList(found, screen).join('\n'), cli);
    return 0;
  },
};
