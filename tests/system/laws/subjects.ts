/** Every command in the registry, with a line that succeeds, and a line to which each of its arguments can be added. */

import fc from 'fast-check';
import { parseLine } from '../../../lib/client/argv.ts';
import { hasHalf } from '../../../lib/core/text/utf8.ts';
import { readArguments } from '../../../lib/runtime/arguments/read.ts';
import type { Command } from '../../../lib/runtime/engine/command.ts';
import { anyCharacter } from '../../support/characters.ts';
import { commandOf } from '../../support/declared.ts';
import { LINE_ROWS } from '../../support/lines.ts';

const escaped = (found: string) => (found.startsWith('\\') ? found + found : `\\${found}`);

/** A value as a person would have to type it, in each quoting; undefined if the quoting cannot express it. */
export const QUOTINGS = {
  bare: (value: string) => (/\s/.test(value) || /^["'`]/.test(value) ? undefined : value),
  backticks: (value: string) => (value.includes('`') ? undefined : `\`${value}\``),
  'double quotes': (value: string) => `"${value.replace(/\\+(?!\\|\$\{)|"/g, escaped)}"`,
  'single quotes': (value: string) => `'${value.replace(/\\+(?!\\|\$\{)|'/g, escaped)}'`,
} as const;

export type Quoting = keyof typeof QUOTINGS;
export const quotings = Object.keys(QUOTINGS) as Quoting[];

/** The value in the requested quoting, or in double quotes, which can express any value. */
export function quoted(value: string, quoting: Quoting): string {
  return QUOTINGS[quoting](value) ?? QUOTINGS['double quotes'](value);
}

/** A value written so that nothing in it is a reference. */
export function withoutReferences(value: string): string {
  return value.replace(/(\\*)\$\{/g, '$1$1\\${');
}

const SIGNS = [
  ...['"', "'", '`', '\\', '=', ' ', '\n', '\t', '\u2028', ',', '!', '#', '--', 'n', '$', '{', '}', '${', '${AiSec.X}'],
  ...['😀', '\ud800', '\0', '__proto__'],
];
const pieces = fc.array(fc.oneof(fc.constantFrom(...SIGNS), fc.string()), { maxLength: 12 });

/** Any text, and texts made of characters that have a meaning to the lexer. */
export const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  pieces.map((parts) => parts.join('')),
);
/** Text that an argument accepts: a line may have half of a surrogate pair, an argument may not. */
export const wholeText = anyText.filter((text) => !hasHalf(text));

/** A line's arguments by name, before quoting. */
export type Given = Readonly<Record<string, string>>;

export interface Subject {
  readonly name: string;
  readonly command: Command;
  /** The arguments of a line that succeeds. */
  readonly given: Given;
}

function subjectOf(command: Command, line: string): Subject {
  const { pairs, positionals } = parseLine(line);
  const positional = Object.keys(command.args).filter((name) => command.args[name]?.positional === true);
  const unnamed = positionals.map((value, index) => [positional[index] ?? '', value] as const);
  const named = pairs.map(({ name, value }) => [name, String(value)] as const);
  return { name: command.name, command, given: Object.fromEntries([...unnamed, ...named]) };
}

export const subjects: readonly Subject[] = LINE_ROWS.map(({ name, line }) => subjectOf(commandOf(name), line));

/** A line as a person types it. */
export function lineOf(name: string, given: Given, quoting: Quoting = 'double quotes'): string {
  const words = Object.entries(given).map(([argument, value]) => `${argument}=${quoted(value, quoting)}`);
  return [`!${name}`, ...words].join(' ');
}

/** Other arguments of the line with which this argument is not refused: some exclude or need each other. */
export function fitting(subject: Subject, argument: string): Given {
  const { [argument]: own, ...others } = subject.given;
  return candidates(subject, others).find((given) => isAllowed(subject, given, argument, own)) ?? others;
}

function candidates({ command }: Subject, given: Given): Given[] {
  const optional = Object.keys(given).filter((name) => command.args[name]?.required !== true);
  const without = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
  const choosing = Object.entries(command.args).flatMap(([name, { choices = [] }]) =>
    choices.map((choice) => ({ ...given, [name]: choice })),
  );
  const pairs = optional.flatMap((one) => optional.map((other) => without([one, other])));
  return [given, ...pairs, ...choosing, ...choosing.flatMap((each) => candidatesWithout(each, optional))];
}

function candidatesWithout(given: Given, optional: readonly string[]): Given[] {
  return optional.map((name) => Object.fromEntries(Object.entries(given).filter(([other]) => other !== name)));
}

function isAllowed({ command }: Subject, given: Given, argument: string, own: string | undefined): boolean {
  const declared = { name: command.name, args: withoutDemands(command) };
  const line = lineOf(command.name, own === undefined ? given : { ...given, [argument]: own });
  const { typed } = readArguments(declared, parseLine(line), {});
  const filled = { ...typed, [argument]: typed[argument] ?? (command.args[argument]?.kind === 'text' ? 'x' : []) };
  return (command.rules ?? []).every((rule) => rule.check(filled) === undefined);
}

function withoutDemands({ args }: Command): Command['args'] {
  return Object.fromEntries(Object.entries(args).map(([name, argument]) => [name, { ...argument, required: false }]));
}
