/** Reads lines that a person is still typing, so quotes may be open and arguments may be missing. */
import { wordsOf } from '../../../client/completion/words.ts';
import type { CommandInfo } from '../../../manifest/catalogue.ts';
import { tokenize } from '../../../runtime/arguments/lexer.ts';

/** A line with more words is refused when it runs. */
const MAX_WORDS = 500;

/** An argument as typed so far, without its quotes. */
interface TypedArgument {
  /** Empty for a word that belongs to no argument. */
  readonly name: string;
  readonly value: string;
}

/** Returns the name of a line's command, without its mark. */
export function typedName(line: string): string {
  return (wordsOf(line)[0] ?? '').replace(/^!/, '');
}

/** Lists the words of a line. The first value without a name belongs to the positional argument. */
export function typedArguments(line: string, { arguments: known }: Pick<CommandInfo, 'arguments'>): TypedArgument[] {
  const words = wordsOf(line)
    .slice(1, MAX_WORDS)
    .filter((word) => word !== '')
    .map(wordWithName);
  const unnamed = known.find(({ positional }) => positional)?.name;
  const isFree = (name: string) => words.every((word) => word.name !== name);
  const first = words.find(({ name }) => name === undefined);
  return words.map((word) => {
    const own = word === first && unnamed !== undefined && isFree(unnamed) ? unnamed : '';
    return { name: word.name ?? own, value: word.value };
  });
}

/** Separates the name of a word from its value. */
function wordWithName(word: string): { readonly name?: string; readonly value: string } {
  const name = /^([^\s"'`=]+)=/.exec(word)?.[1];
  const value = withoutQuotes(name === undefined ? word : word.slice(name.length + 1));
  return name === undefined ? { value } : { name, value };
}

/** Removes the quotes of a value, also if it has no closing quote yet. */
export function withoutQuotes(text: string): string {
  for (const closed of [text, text + text.charAt(0)]) {
    try {
      // A name before the value would be read as one.
      const [token, ...more] = tokenize(`value=${closed}`);
      if (token !== undefined && more.length === 0) return token.value;
    } catch {
      // The quote is still open.
    }
  }
  return text.slice(1);
}
