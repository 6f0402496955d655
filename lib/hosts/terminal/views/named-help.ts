/** Chooses the help of the words after `help`: a command, in any spelling, or a group of commands. */
import type { Catalogue } from '../../../manifest/catalogue.ts';
import { describedCommand } from '../complete/command-name.ts';
import { spelledCommand } from '../complete/spaced-name.ts';
import { groupHelp } from './command-groups.ts';
import { commandHelp, type HelpPage } from './command-help.ts';

/**
 * Renders the help that words name.
 * @param others further names to suggest
 * @throws UsageError if they name neither a command nor a group
 */
export function namedHelp(
  catalogue: Catalogue,
  words: readonly string[],
  page: HelpPage & { readonly terminal: boolean },
  others: readonly string[] = [],
): string {
  const known = Object.fromEntries(catalogue.map((command) => [command.name, command]));
  const spelled = spelledCommand(words, known);
  const command = spelled?.count === words.length ? known[spelled.name] : undefined;
  if (command !== undefined) return commandHelp(command, page);
  return groupHelp(catalogue, words, page) ?? commandHelp(describedCommand(catalogue, words.join('-'), others), page);
}
