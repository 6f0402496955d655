/** Renders the commands by group: `aisec commands`, `aisec help dlp`, and both in the war room. */

import { describedCommand, shortName } from '../../../client/names/command-name.ts';
import { beginningOf, spelledCommand } from '../../../client/names/spaced-name.ts';
import { UsageError } from '../../../core/errors.ts';
import type { Catalogue, CommandInfo } from '../../../manifest/catalogue.ts';
import { toolset } from '../../../manifest/toolsets.ts';
import { didYouMean } from '../../../runtime/arguments/suggest.ts';
import { plainMeasure } from '../ui/measure.ts';
import type { Screen } from '../ui/screen.ts';
import { cut } from '../ui/wrap.ts';
import { commandHelp, type HelpPage } from './command-help.ts';

type Page = Pick<Screen, 'terminal' | 'width' | 'style'>;
type Commands = readonly CommandInfo[];

/** A group of commands; each command is in one group. */
interface Group {
  readonly about: string;
  /** Reports whether the group has the command, by its full name. */
  readonly has: (name: string) => boolean;
  /** Groups that the user may have meant instead. */
  readonly near?: readonly string[];
}

const isGuardrail = (name: string) => /^aisec-runtime-(?:profiles|topics)-/.test(name);
const isRuntime = toolset('runtime');

/** The groups by name, in the order of the list. */
const GROUPS: Readonly<Record<string, Group>> = {
  runtime: {
    about: 'Scan prompts and responses; API keys and applications.',
    has: (name) => isRuntime(name) && !isGuardrail(name),
    near: ['guardrails', 'dlp'],
  },
  guardrails: { about: 'Security profiles and custom topics.', has: isGuardrail, near: ['runtime', 'dlp'] },
  dlp: { about: 'Data loss prevention: patterns, dictionaries, profiles.', has: toolset('dlp') },
  'red-team': { about: 'Attack targets, and read what succeeded.', has: toolset('red-team') },
  'model-security': {
    about: 'Check models before they are used.',
    has: toolset('model-security'),
  },
};
const OTHERS = 'others';

/** Names of the groups. */
export const GROUP_NAMES: readonly string[] = Object.keys(GROUPS);

/** Returns one line for each command: in a pipe uncut, for grep; on a terminal by group and cut to its width. */
export function commandList(commands: Commands, page: Page): string[] {
  if (!page.terminal) return commandLines(commands, page);
  const names = [...GROUP_NAMES, OTHERS];
  const sections = names.map((name) => [name, commands.filter((command) => groupOf(command) === name)] as const);
  const filled = sections.filter(([, { length }]) => length > 0);
  return [
    ...filled.flatMap(([name, members]) => [
      heading(name, members.length, page),
      ...commandLines(members, page, widest(commands)),
      '',
    ]),
    `${counted(commands.length)}. Fewer: aisec commands WORD. One in full: aisec help NAME`,
  ];
}

/** Keeps the commands whose name, group or summary contains all words. @throws UsageError if no command matches */
export function commandsWith(catalogue: Commands, words: readonly string[]): Commands {
  const wanted = words.map((word) => word.toLowerCase());
  const text = (command: CommandInfo) => `${command.name} ${groupOf(command)} ${command.summary}`.toLowerCase();
  const found = catalogue.filter((command) => wanted.every((word) => text(command).includes(word)));
  if (found.length > 0) return found;
  const parts = [...new Set([...GROUP_NAMES, ...catalogue.flatMap(({ name }) => name.split('-').slice(1))])];
  throw new UsageError(`No command matches "${words.join(' ').slice(0, 60)}".`, {
    hint: didYouMean(wanted[0] ?? '', parts) ?? 'See all of them with: aisec commands',
  });
}

/**
 * Renders the commands of a group, or the commands whose names begin with the words: `redteam scans`. @returns
 * undefined if there are none
 */
export function groupHelp(catalogue: Commands, words: readonly string[], page: Page): string | undefined {
  const name = words
    .join('-')
    .replace(/^!?(?:aisec-)?/, '')
    .replace(/^redteam$/, 'red-team');
  const group = Object.hasOwn(GROUPS, name) ? GROUPS[name] : undefined;
  const begins = `${beginningOf([name])}-`;
  const has = group?.has ?? ((full: string) => shortName(full).startsWith(begins));
  const members = catalogue.filter((command) => has(command.name));
  if (members.length === 0) return undefined;
  const near = (group?.near ?? []).map((each) => `aisec help ${each}`).join(', ');
  return [
    heading(name, members.length, page),
    ...commandLines(members, { ...page, terminal: true }),
    ...(near === '' ? [] : [`See also: ${near}`]),
    'Arguments of a command: aisec help NAME',
    'Spaces work for dashes; ls, rm and new mean list, delete and create.',
  ].join('\n');
}

/** Returns the name of the group of a command. */
export function groupOf({ name }: Pick<CommandInfo, 'name'>): string {
  return GROUP_NAMES.find((each) => GROUPS[each]?.has(name) === true) ?? OTHERS;
}

function heading(name: string, count: number, { style }: Page): string {
  const about = Object.hasOwn(GROUPS, name) ? `  ${GROUPS[name]?.about}` : '';
  return `${style.bold(`${name} (${count})`)}${about}`;
}

function counted(count: number): string {
  return count === 1 ? '1 command' : `${count} commands`;
}

function widest(commands: Commands): number {
  return commands.reduce((most, { name }) => Math.max(most, shortName(name).length), 0);
}

function commandLines(commands: Commands, page: Page, width = 0): string[] {
  const named = commands.map(({ name, summary }) => [shortName(name), summary] as const);
  const longest = named.reduce((most, [{ length }]) => Math.max(most, length), width);
  const lines = named.map(([name, summary]) => `${name.padEnd(longest)}  ${summary}`);
  return page.terminal ? lines.map((line) => cut(line, { width: page.width, measure: plainMeasure })) : lines;
}

/**
 * Renders the help for words. @param others more names to suggest @throws UsageError if the words name neither a
 * command nor a group
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
