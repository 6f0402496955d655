/** Masks prompts, responses and secrets in a line before it goes to the history file. */
import { parseLine } from '../../arguments/argv.ts';
import { GENERIC_NAMES } from '../../arguments/generic.ts';
import type { Invocation } from '../../arguments/lexer.ts';
import type { ArgumentInfo, Catalogue, CommandInfo } from '../../manifest/catalogue.ts';
import { entryNamed } from './command-name.ts';

/** Replaces a masked value. */
export const MASKED = '***';

const BARE = /^[^\s"'`]\S*$/;
const BARE_WITHOUT_NAME = /^[^\s"'`=]+$/;
const SOURCE = /^@(?:env|file):[\w./~-]+$/;
const CONTENT_SOURCE = /^@file:[\w./~-]+$/;

/**
 * Converts a typed line to its history entry.
 * @param line as typed, possibly on several lines
 * @returns one line, or undefined if the history keeps none of it
 */
export function historyEntry(line: string, catalogue: Catalogue, builtIns: readonly string[]): string | undefined {
  const text = line.trim();
  const [word = ''] = text.split(/\s/);
  if (builtIns.includes(word)) return /^[\w!.[\] -]+$/.test(text) ? text : word;
  const name = /^!?([a-z0-9-]+)(?![^\s"'`=])/.exec(text)?.[1] ?? '';
  const command = entryNamed(catalogue, name);
  // A word that is no command may be a secret; one that begins like a command is a typing error.
  if (command === undefined) return /^!?(aisec-[a-z0-9-]+)/.exec(text)?.[0].replace(/^!?/, '!');
  const invocation = parsed(text);
  const head = `${text.startsWith('!') || name === command.name ? '!' : ''}${name}`;
  // Any part of a line that does not parse may be a secret.
  return invocation?.name === name ? written(head, command, invocation) : head;
}

/** Returns the names of arguments whose values the history has masked. */
export function maskedArguments(line: string): string[] {
  return [...line.matchAll(/(?:^|\s)(?:(\S+)=)?\*\*\*(?=\s|$)/g)].map(([, name = 'a value']) => name);
}

function parsed(text: string): Invocation | undefined {
  try {
    return parseLine(text);
  } catch {
    return undefined;
  }
}

function written(head: string, command: CommandInfo, { pairs, positionals }: Invocation): string {
  const argumentOf = (name: string) => command.arguments.find((known) => known.name === name);
  const named = pairs.map(({ name, value }) => {
    const argument = argumentOf(name);
    // The name of an unknown argument may be a misplaced value.
    if (argument === undefined && !GENERIC_NAMES.includes(name)) return MASKED;
    return `${name}=${keptValue(argument, String(value), BARE)}`;
  });
  const positional = command.arguments.find((argument) => argument.positional);
  // A further bare word, or one beside a masked value, may be part of an unquoted value.
  const isPart = pairs.some(({ name }) => name === positional?.name || isMasked(argumentOf(name)));
  const unnamed = positionals.map((value, index) =>
    positional === undefined || isPart || index > 0 ? MASKED : keptValue(positional, value, BARE_WITHOUT_NAME),
  );
  return [head, ...named, ...unnamed].join(' ');
}

function keptValue(argument: ArgumentInfo | undefined, value: string, bare: RegExp): string {
  if (argument?.secret === true && SOURCE.test(value)) return value;
  if (argument?.content === true && !argument.secret && CONTENT_SOURCE.test(value)) return value;
  return isMasked(argument) ? MASKED : quoted(value, bare);
}

function isMasked(argument: ArgumentInfo | undefined): boolean {
  return argument?.secret === true || argument?.content === true;
}

/** Quotes a value on one line so that it parses to the same value. */
function quoted(value: string, bare: RegExp): string {
  if (bare.test(value)) return value;
  const isOneLine = !/[\r\n\u2028\u2029]/.test(value);
  if (isOneLine && !value.includes('`')) return `\`${value}\``;
  if (value.includes('\\') || /[\u2028\u2029]/.test(value)) return MASKED;
  return `"${value.replace(/"/g, '\\"').replace(/\n/g, '\\n').replace(/\r/g, '\\r')}"`;
}
