/** Renders the common commands, and the help of one command. */

import { aliasOf } from '../../../client/names/aliases.ts';
import { shortName } from '../../../client/names/command-name.ts';
import type { ArgumentInfo, CommandInfo } from '../../../manifest/catalogue.ts';
import { alternativesOf } from '../../../runtime/arguments/generic.ts';
import { tokenize } from '../../../runtime/arguments/lexer.ts';
import { plainText } from '../ui/sanitize.ts';
import { quoted, type Shell } from '../ui/shell.ts';
import { definitions, type Page, wrapped } from '../ui/wrap.ts';

const EFFECTS: Readonly<Record<CommandInfo['effect'], string>> = {
  read: 'Changes nothing.',
  create: 'Creates something at the service.',
  update: 'Changes something at the service.',
  replace: 'Replaces something at the service.',
  delete: 'Deletes something at the service.',
  run: 'Starts work at the service.',
};
const OUTSIDE = 'Reaches a system outside the service.';

/** The groups of commands, by prefix, with the common commands of each. */
export const GROUPS: readonly { readonly title: string; readonly commands: readonly string[] }[] = [
  { title: 'scan', commands: ['runtime-scan', 'runtime-bulk-scan'] },
  { title: 'guardrails', commands: ['runtime-profiles-list', 'runtime-topics-apply'] },
  { title: 'red team', commands: ['redteam-targets-list', 'redteam-scan-create', 'redteam-report-get'] },
  { title: 'model security', commands: ['model-security-scans-create', 'model-security-scans-list'] },
];

/** Lists the groups. */
export function groupLines(page: Page): string[] {
  const pairs = GROUPS.map(({ title, commands }) => [title, commands.join(', ')] as const);
  return definitions(pairs, page);
}

/** Layout of a help page, and the shell for its example. */
export type HelpPage = Page & { readonly shell: Shell };

/** Renders the help text of a command: arguments, rules, outputs, example. */
export function commandHelp(command: CommandInfo, page: HelpPage): string {
  const { style, width, measure, shell } = page;
  const inRoom = shell.dialect === 'room';
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', style.bold(title), ...lines];
  const described = (pairs: readonly (readonly [string, string])[]) => definitions(pairs, page, style.bold);
  const indented = (text: string) => wrapped(text, width - 2, measure).map((line) => `  ${line}`);
  return [
    style.bold(inRoom ? `!${command.name}` : `aisec ${shortName(command.name)}`),
    ...indented([command.summary, EFFECTS[command.effect], ...(command.outside ? [OUTSIDE] : [])].join(' ')),
    ...section(
      'Arguments',
      described(command.arguments.map((argument) => [typedName(argument), plainText(argumentText(argument))])),
    ),
    ...section('Rules', command.rules.map(plainText).flatMap(indented)),
    ...section(
      `Outputs: ${command.context}`,
      described(
        command.outputs.map(({ path, type, description }) => [
          fieldOf(path, command.context),
          `(${type}) ${description}`,
        ]),
      ),
    ),
    ...section('Example', inRoom ? indented(roomExample(command)) : [`  ${shellExample(command, shell)}`]),
  ].join('\n');
}

function argumentText(argument: ArgumentInfo): string {
  const standard = argument.default === undefined ? undefined : `default ${argument.default}`;
  const marks = [
    argument.required ? requirement(argument) : standard,
    argument.kind === 'file' ? 'path of a file, or - for standard input' : undefined,
    nameFor(argument),
    argument.positional ? 'may be typed without its name' : undefined,
    argument.secret ? 'secret' : undefined,
    argument.clearable ? 'null clears it' : undefined,
    argument.extension ? 'specific to aisec' : undefined,
  ].filter((mark) => mark !== undefined);
  const choices = argument.choices === undefined ? '' : `\nOne of: ${argument.choices.join(', ')}.`;
  const hints = argument.hints === undefined ? '' : `\nSuch as: ${argument.hints.join(', ')}.`;
  return `${marks.length === 0 ? '' : `(${marks.join(', ')}) `}${argument.description}${choices}${hints}`;
}

function requirement(argument: ArgumentInfo): string {
  const others = alternativesOf(argument);
  return others.length === 0 ? 'required' : `required unless ${others.join(' or ')} is given`;
}

/** Returns the note that users may type a name instead of an id. */
function nameFor(argument: ArgumentInfo): string | undefined {
  const { name, lookup } = argument;
  if (lookup === undefined || lookup.takes === 'name') return undefined;
  return `or ${aliasOf(name, argument) ?? name}=NAME`;
}

/** Returns the name that users type: a file is `file`, because a terminal has no entry ids. */
function typedName(argument: ArgumentInfo): string {
  return argument.kind === 'file' ? (aliasOf(argument.name, argument) ?? argument.name) : argument.name;
}

/** Returns the example as a line of the war room, without arguments that only a manifest requires. */
function roomExample({ name: command, example, arguments: known }: CommandInfo): string {
  const isGiven = (name: string) => new RegExp(`(?:^| )${name}=`).test(example);
  const replaced = known.filter((argument) => alternativesOf(argument).some(isGiven));
  const kept = replaced.reduce((line, { name }) => line.replace(new RegExp(`(^| )${name}=\\S+ ?`), '$1'), example);
  return `!${command} ${plainText(kept)}`.trimEnd();
}

/**
 * Writes the example as words that the shell passes on unchanged, on one line so that it can be copied. Leaves out
 * arguments that only a manifest requires.
 */
function shellExample({ name, example, arguments: known }: CommandInfo, { dialect }: Shell): string {
  const tokens = tokenize(example);
  const isGiven = (other: string) => tokens.some((token) => token.name === other);
  const words = tokens
    .filter((token) => !alternativesOf(known.find(({ name }) => name === token.name) ?? {}).some(isGiven))
    .map((token) => (token.name === undefined ? token.value : `${plainText(token.name)}=${plainText(token.value)}`));
  return ['aisec', shortName(name), ...words.map((word) => quoted(word, dialect))].join(' ');
}

function fieldOf(path: string, context: string): string {
  return path.startsWith(`${context}.`) ? path.slice(context.length + 1) : path;
}
