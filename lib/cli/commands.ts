import { flag } from '../hosts/terminal/options/option.ts';
import type { Subcommand } from '../hosts/terminal/subcommand.ts';

const flags = { json: flag('All details of each command, as JSON.') };

/** `aisec commands`: lists every command on one line. In a pipe the lines are not cut, for grep. */
export const commands: Subcommand<typeof flags> = {
  usage: 'commands [--json]',
  summary: 'List every command.',
  everyday: true,
  words: 0,
  flags,
  dryRun: () => 'reads',
  run: async (cli) => {
    const [{ jsonText }, { printLong }, { commandLines }] = await Promise.all([
      import('../hosts/terminal/render/json.ts'),
      import('../hosts/terminal/render/print-long.ts'),
      import('../hosts/terminal/views/command-help.ts'),
    ]);
    const { host, options, screen } = cli;
    const catalogue = await host.catalogue();
    const asJson = options.json || options.format === 'json';
    await printLong(asJson ? jsonText(catalogue, screen.terminal) : commandLines(catalogue, screen).join('\n'), cli);
    return 0;
  },
};
