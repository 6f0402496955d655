import { parseLine, parseWords } from '../../arguments/argv.ts';
import type { Invocation } from '../../arguments/lexer.ts';

/**
 * The command of a command line: one quoted line, or words that the shell has split already and that are taken as they are.
 * @throws ValidationError for a line that cannot be split
 */
export function invocationOf(words: readonly string[]): Invocation {
  const [first = '', ...rest] = words;
  const line = parseLine(first);
  const more = parseWords(line.name, rest);
  return {
    name: line.name,
    pairs: [...line.pairs, ...more.pairs],
    positionals: [...line.positionals, ...more.positionals],
  };
}
