/** Masks prompts, responses and secrets in a line before it goes to the history file. */
import { parseLine } from '../../../arguments/argv.ts';
import type { Invocation } from '../../../arguments/lexer.ts';
import { maskedLine } from '../../../arguments/masked-line.ts';
import type { ArgumentInfo, Catalogue } from '../../../manifest/catalogue.ts';
import { aliasOf } from './aliases.ts';
import { entryNamed } from './command-name.ts';

/**
 * Converts a typed line to its history entry.
 * @param line as typed, possibly on several lines
 * @returns one line, or undefined if the history keeps none of it
 */
export function historyEntry(line: string, catalogue: Catalogue, builtIns: readonly string[]): string | undefined {
  const text = line.trim();
  const [word = ''] = text.split(/\s/);
  // Names, paths and numbers, as in `gate redteam 2c8f5e1b --max-asr 5`: without its options the line is another one.
  if (builtIns.includes(word)) return /^[\w!.[\] /~,:-]+$/.test(text) ? text : word;
  const name = /^!?([a-z0-9-]+)(?![^\s"'`=])/.exec(text)?.[1] ?? '';
  const command = entryNamed(catalogue, name);
  // An unknown word may be a secret, unless it begins like a command, as a typing error does.
  if (command === undefined) return /^!?(aisec-[a-z0-9-]+)/.exec(text)?.[0].replace(/^!?/, '!');
  const invocation = parsed(text);
  const head = `${text.startsWith('!') || name === command.name ? '!' : ''}${name}`;
  // Any part of a line that does not parse may be a secret.
  return invocation?.name === name ? maskedLine(head, spellings(command.arguments), invocation, 'content') : head;
}

/** Lists arguments by all their names: `topic` stands for `topic_id`, and its value is kept in the same way. */
function spellings(known: readonly ArgumentInfo[]): readonly ArgumentInfo[] {
  const others = known.flatMap((argument) => {
    const { lookup } = argument;
    const names = [aliasOf(argument.name, argument), lookup?.takes === 'name' ? undefined : lookup?.noun];
    return names.flatMap((name) => (name === undefined ? [] : { ...argument, name, positional: false }));
  });
  return [...known, ...others];
}

/** Reports whether the command of a line takes a prompt, a response or a secret. */
export function takesContent(line: string, catalogue: Catalogue): boolean {
  const command = entryNamed(catalogue, line.trim().split(/\s/)[0] ?? '');
  return command?.arguments.some(({ content, secret }) => content || secret) !== false;
}

/** Returns the names of arguments and options whose values the history has masked. */
export function maskedArguments(line: string): string[] {
  const masks = line.matchAll(/(?:^|\s)(?:(\S+)=|(--[a-z-]+)\s)?\*\*\*(?=\s|$)/g);
  return [...masks].map(([, argument, option]) => argument ?? option ?? 'a value');
}

function parsed(text: string): Invocation | undefined {
  try {
    return parseLine(text);
  } catch {
    return undefined;
  }
}
