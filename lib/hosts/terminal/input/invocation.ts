/** Invocations of the terminal: from the words of a command line, and with other values. */
import { parseLine, parseWords } from '../../../arguments/argv.ts';
import type { Invocation } from '../../../arguments/lexer.ts';
import type { Command } from '../../../engine/command.ts';

/**
 * Parses the command of a command line: one quoted line, or words that the shell has split.
 * @throws ValidationError for a syntax error
 */
export function invocationOf(words: readonly string[]): Invocation {
  const [first = '', ...rest] = words;
  const line = parseLine(first);
  const more = parseWords(line.name, rest);
  // The shell has replaced its own references, and no context lives here that others could refer to.
  const pairs = more.pairs.map(({ name, value }) => ({ name, value: withoutReferences(String(value)) }));
  const positionals = more.positionals.map(withoutReferences);
  return {
    name: line.name,
    pairs: [...line.pairs, ...pairs],
    positionals: [...line.positionals, ...positionals],
    words: [...(line.words ?? line.pairs), ...(more.words ?? pairs)],
  };
}

/** Escapes references: a text is data, and nothing in it is replaced. */
export function withoutReferences(text: string): string {
  return text.replace(/(\\*)\$\{/g, (_, backslashes: string) => `${backslashes}${backslashes}\\\${`);
}

/** Replaces each value, in order; a value without a name is the one of the argument that needs none. */
export async function withValues(
  { name: command, pairs, positionals, ...rest }: Invocation,
  { args }: Pick<Command, 'args'>,
  replaced: (name: string, value: unknown) => Promise<unknown>,
): Promise<Invocation> {
  const named: Invocation['pairs'][number][] = [];
  for (const { name, value } of pairs) named.push({ name, value: await replaced(name, value) });
  const unnamed = Object.keys(args).find((name) => args[name]?.positional === true);
  const [first, ...others] = positionals;
  if (first === undefined || unnamed === undefined) return { ...rest, name: command, pairs: named, positionals };
  return { ...rest, name: command, pairs: named, positionals: [String(await replaced(unnamed, first)), ...others] };
}

/** Gives the value without a name the name of its argument. */
export function withNamedValues(invocation: Invocation, { args }: Pick<Command, 'args'>): Invocation {
  const { name, pairs, positionals } = invocation;
  const unnamed = Object.keys(args).find((argument) => args[argument]?.positional === true);
  const [first, ...others] = positionals;
  if (first === undefined || unnamed === undefined) return invocation;
  return { name, pairs: [{ name: unnamed, value: first }, ...pairs], positionals: others };
}
