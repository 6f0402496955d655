import { UsageError } from '../engine/errors.ts';
import { entryNamed, nearest } from '../hosts/terminal/complete/command-name.ts';
import { plainMeasure } from '../hosts/terminal/render/measure.ts';
import { printLong } from '../hosts/terminal/render/print-long.ts';
import type { SubcommandContext } from '../hosts/terminal/subcommand.ts';
import { commandHelp } from '../hosts/terminal/views/command-help.ts';
import type { Catalogue, CommandInfo } from '../manifest/catalogue.ts';
import { helpPage, TOPICS, usage } from './usage.ts';

/** `aisec help [WORD]`: shows the help of the program, a subcommand, a topic or a command. */
export async function help(cli: SubcommandContext): Promise<number> {
  const { host, screen, subcommands, words } = cli;
  const [word] = words;
  const page = { width: screen.width, style: screen.style, measure: plainMeasure };
  const own = word === undefined ? usage(subcommands, page) : helpPage(word, subcommands, page);
  const others = [...Object.keys(subcommands), ...Object.keys(TOPICS)];
  const text = own ?? commandHelp(describedCommand(await host.catalogue(), word ?? '', others), page);
  await printLong(text, cli);
  return 0;
}

/**
 * Finds the description of a command by its full or short name, with or without an exclamation mark.
 * @param others further names to suggest
 * @throws UsageError for an unknown command
 */
export function describedCommand(catalogue: Catalogue, word: string, others: readonly string[] = []): CommandInfo {
  const name = word.replace(/^!/, '');
  const found = entryNamed(catalogue, word);
  if (found !== undefined) return found;
  const names = catalogue.map((command) => command.name);
  const near = nearest(word, names, others);
  throw new UsageError(`There is no command "${name.slice(0, 80)}".`, { hint: near ?? 'See all with: aisec commands' });
}
