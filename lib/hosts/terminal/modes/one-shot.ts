import { parseLine, parseWords } from '../../../arguments/argv.ts';
import type { Invocation } from '../../../arguments/lexer.ts';

/**
 * Parses the command of a command line: one quoted line, or words that the shell has split.
 * @throws ValidationError for a syntax error
 */
export function invocationOf(words: readonly string[]): Invocation {
  const [first = '', ...rest] = words;
  const line = parseLine(first);
  const more = parseWords(line.name, rest);
  return {
    name: line.name,
    pairs: [...line.pairs, ...more.pairs.map(({ name, value }) => ({ name, value: literal(String(value)) }))],
    positionals: [...line.positionals, ...more.positionals.map(literal)],
  };
}

/** Escapes references: the shell has replaced its own, and no context lives here that others could refer to. */
function literal(value: string): string {
  return value.replace(/(\\*)\$\{/g, (_, backslashes: string) => `${backslashes}${backslashes}\\\${`);
}
