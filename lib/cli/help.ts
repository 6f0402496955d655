import type { Subcommand } from '../hosts/terminal/subcommand.ts';

/** `aisec help [WORD]`: shows the help of the program, a subcommand, a topic or a command. */
export const help: Subcommand = {
  usage: 'help [COMMAND | SUBCOMMAND | options | environment | exit-codes]',
  summary: 'Show the arguments, outputs and an example of a command.',
  words: 1,
  dryRun: () => 'reads',
  completes: (typed) => (typed.length === 0 ? 'commands' : []),
  run: async (cli) => {
    const [{ describedCommand }, { plainMeasure }, { printLong }, { commandHelp }, { helpPage, TOPICS, usage }] =
      await Promise.all([
        import('../hosts/terminal/complete/command-name.ts'),
        import('../hosts/terminal/render/measure.ts'),
        import('../hosts/terminal/render/print-long.ts'),
        import('../hosts/terminal/views/command-help.ts'),
        import('./usage.ts'),
      ]);
    const { host, subcommands, screen, words } = cli;
    const [word] = words;
    const page = { width: screen.width, style: screen.style, measure: plainMeasure };
    const own = word === undefined ? usage(subcommands, page) : helpPage(word, subcommands, page);
    const others = [...Object.keys(subcommands), ...Object.keys(TOPICS)];
    const text = own ?? commandHelp(describedCommand(await host.catalogue(), word ?? '', others), page);
    await printLong(text, cli);
    return 0;
  },
};
