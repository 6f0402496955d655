/** Masks prompts, responses and secrets in a line before it goes to the history file. */
import { parseLine } from '../../../arguments/argv.ts';
import type { Invocation } from '../../../arguments/lexer.ts';
import { maskedLine } from '../../../arguments/masked-line.ts';
import type { Catalogue } from '../../../manifest/catalogue.ts';
import { entryNamed } from './command-name.ts';

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
  // An unknown word may be a secret, unless it begins like a command, as a typing error does.
  if (command === undefined) return /^!?(aisec-[a-z0-9-]+)/.exec(text)?.[0].replace(/^!?/, '!');
  const invocation = parsed(text);
  const head = `${text.startsWith('!') || name === command.name ? '!' : ''}${name}`;
  // Any part of a line that does not parse may be a secret.
  return invocation?.name === name ? maskedLine(head, command.arguments, invocation, 'content') : head;
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
