import { didYouMean } from '../../../arguments/suggest.ts';
import { UsageError } from '../../../errors.ts';
import type { Catalogue, CommandInfo } from '../../../manifest/catalogue.ts';
import { commandHelp } from '../command-help.ts';
import { plainMeasure } from '../measure.ts';
import type { Invoked } from '../subcommand.ts';
import { subcommandUsage, usage } from '../usage.ts';

/** `aisec help [COMMAND]`. */
export async function help({ host, screen, subcommands, words: [word] }: Invoked): Promise<number> {
  const page = { width: screen.width, style: screen.style, measure: plainMeasure };
  const own = word === undefined ? usage(subcommands, page) : subcommandUsage(word, subcommands, page);
  screen.result(own ?? commandHelp(findCommand(await host.catalogue(), word ?? '', Object.keys(subcommands)), page));
  return 0;
}

/**
 * The command of a name, with or without its exclamation mark.
 * @param others further words that could have been meant
 * @throws UsageError when there is none
 */
export function findCommand(catalogue: Catalogue, word: string, others: readonly string[] = []): CommandInfo {
  const name = word.replace(/^!/, '');
  const found = catalogue.find((command) => command.name === name);
  if (found !== undefined) return found;
  const near = didYouMean(name, [...catalogue.map((command) => command.name), ...others]);
  throw new UsageError(`There is no command "${name.slice(0, 80)}".`, { hint: near ?? 'See all with: aisec commands' });
}
