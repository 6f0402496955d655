import type { Subcommand } from '../line/subcommand.ts';

/** `aisec help [WORD ...]`: shows the help of the program, a subcommand, a topic, a group or a command. */
export const help: Subcommand = {
  usage: 'help [COMMAND | GROUP | SUBCOMMAND | options | environment | exit-codes]',
  summary: 'Show the arguments, outputs and an example of a command.',
  words: Number.POSITIVE_INFINITY,
  dryRun: () => 'reads',
  completes: () => 'commands',
  run: async (cli) => {
    const [{ plainMeasure }, { printLong }, { namedHelp }, { helpPage, TOPICS, usage }] = await Promise.all([
      import('../ui/measure.ts'),
      import('../result/print-long.ts'),
      import('../result/command-groups.ts'),
      import('./usage.ts'),
    ]);
    const { host, subcommands, screen, words } = cli;
    const [word] = words;
    const { width, style, shell, terminal } = screen;
    const page = { width, style, shell, terminal, measure: plainMeasure };
    const alone = words.length > 1 ? undefined : word;
    const own =
      word === undefined
        ? usage(subcommands, page)
        : alone === undefined
          ? undefined
          : helpPage(alone, subcommands, page);
    const others = [...Object.keys(subcommands), ...Object.keys(TOPICS)];
    await printLong(own ?? namedHelp(await host.catalogue(), words, page, others), cli);
    return 0;
  },
};
