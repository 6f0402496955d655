/** A line as the history file may keep it: without what people wrote, and without secrets. */
import { parseLine } from '../../arguments/argv.ts';
import { GENERIC_NAMES } from '../../arguments/generic.ts';
import type { Invocation } from '../../arguments/lexer.ts';
import type { ArgumentInfo, Catalogue, CommandInfo } from '../../manifest/catalogue.ts';

/** Stands for a value that is not kept. */
export const LEFT_OUT = '***';

const BARE = /^[^\s"'`]\S*$/;
const BARE_WITHOUT_NAME = /^[^\s"'`=]+$/;
const SOURCE = /^@(?:env|file):[\w./~-]+$/;

/**
 * @param line as typed, over several lines if it was
 * @returns one line, or undefined when nothing of it may be kept
 */
export function remembered(line: string, catalogue: Catalogue, builtIns: readonly string[]): string | undefined {
  const text = line.trim();
  const [word = ''] = text.split(/\s/);
  if (builtIns.includes(word)) return /^[\w!.[\] -]+$/.test(text) ? text : word;
  const name = /^!?(aisec-[a-z0-9-]+)/.exec(text)?.[1];
  if (name === undefined) return undefined;
  const command = catalogue.find((known) => known.name === name);
  const invocation = parsed(text);
  // Of what is not understood nobody can say which part is a secret.
  return command === undefined || invocation?.name !== name ? `!${name}` : written(command, invocation);
}

/** Does a line from the history miss values that were left out? @returns their names */
export function leftOutIn(line: string): string[] {
  return [...line.matchAll(/(?:^|\s)(?:(\S+)=)?\*\*\*(?=\s|$)/g)].map(([, name = 'a value']) => name);
}

function parsed(text: string): Invocation | undefined {
  try {
    return parseLine(text);
  } catch {
    return undefined;
  }
}

function written(command: CommandInfo, { pairs, positionals }: Invocation): string {
  const argumentOf = (name: string) => command.arguments.find((known) => known.name === name);
  const named = pairs.map(({ name, value }) => {
    const argument = argumentOf(name);
    // The name of an argument that is not there may be a value in the wrong place.
    if (argument === undefined && !GENERIC_NAMES.includes(name)) return LEFT_OUT;
    return `${name}=${keptValue(argument, String(value), BARE)}`;
  });
  const positional = command.arguments.find((argument) => argument.positional);
  // A further bare word, or one beside a value that is left out, may be part of a value that was not quoted.
  const isPart = pairs.some(({ name }) => name === positional?.name || isLeftOut(argumentOf(name)));
  const unnamed = positionals.map((value, index) =>
    positional === undefined || isPart || index > 0 ? LEFT_OUT : keptValue(positional, value, BARE_WITHOUT_NAME),
  );
  return [`!${command.name}`, ...named, ...unnamed].join(' ');
}

function keptValue(argument: ArgumentInfo | undefined, value: string, bare: RegExp): string {
  if (argument?.secret === true && SOURCE.test(value)) return value;
  return isLeftOut(argument) ? LEFT_OUT : quoted(value, bare);
}

function isLeftOut(argument: ArgumentInfo | undefined): boolean {
  return argument?.secret === true || argument?.content === true;
}

/** The value so that the same can be read from it again, on one line. */
function quoted(value: string, bare: RegExp): string {
  if (bare.test(value)) return value;
  const isOneLine = !/[\r\n\u2028\u2029]/.test(value);
  if (isOneLine && !value.includes('`')) return `\`${value}\``;
  if (value.includes('\\') || /[\u2028\u2029]/.test(value)) return LEFT_OUT;
  return `"${value.replace(/"/g, '\\"').replace(/\n/g, '\\n').replace(/\r/g, '\\r')}"`;
}
