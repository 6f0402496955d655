/**
 * Builds invocations for the terminal: from the words of a command line, with replaced values, or with the values that
 * tables print.
 */
import { parseLine, parseWords } from '../../../client/argv.ts';
import { withoutReferences } from '../../../client/names/values.ts';
import { UsageError } from '../../../core/errors.ts';
import { asText } from '../../../core/json.ts';
import { spellingsOf } from '../../../core/wire.ts';
import { type Argument, isTime } from '../../../runtime/arguments/builders.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import { resolveReferences } from '../../../runtime/arguments/references.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import { stateWord, withoutMark } from '../../../runtime/select/printed.ts';

/**
 * Parses the command of a command line: one quoted line, or words that the shell has split.
 * @throws ValidationError for a syntax error
 */
export function typedInvocation(words: readonly string[]): Invocation {
  const [first = '', ...rest] = words;
  const line = parseLine(first);
  const more = parseWords(line.name, rest);
  // The shell has already replaced its variables, and there is no context here to refer to.
  const pairs = more.pairs.map(({ name, value }) => ({ name, value: withoutReferences(String(value)) }));
  const positionals = more.positionals.map(withoutReferences);
  return {
    name: line.name,
    pairs: [...line.pairs, ...pairs],
    positionals: [...line.positionals, ...positionals],
    words: [...(line.words ?? line.pairs), ...(more.words ?? pairs)],
  };
}

/** Replaces printed values with the values that the command accepts; all others stay as typed. */
export function withPrintedValues(typed: Invocation, { args, effect }: Command): Invocation {
  const pairs = typed.pairs.map((pair) => {
    const argument = Object.hasOwn(args, pair.name) ? args[pair.name] : undefined;
    if (argument === undefined || typeof pair.value !== 'string') return pair;
    return { ...pair, value: declaredValue(argument, pair.value, effect === 'read') };
  });
  return { ...typed, pairs };
}

function declaredValue(argument: Argument, text: string, reads: boolean): string {
  if (isTime(argument)) return timeOf(text);
  // Other values than the suggested ones are valid too, so a change sends the typed value.
  if (argument.choices === undefined && !reads) return text;
  if (argument.kind !== 'list') return printedChoice(argument, text) ?? text;
  if (text.trim().startsWith('[')) return text;
  return text
    .split(',')
    .map((item) => printedChoice(argument, item.trim()) ?? item)
    .join(',');
}

/**
 * Finds the choice or suggested value that matches a text, ignoring case: by its name, its wire value, or its printed
 * word.
 * @returns undefined if no value matches, or more than one
 */
export function printedChoice({ choices, hints, tokens }: Argument, text: string): string | undefined {
  const known = choices ?? hints ?? [];
  if (known.includes(text)) return text;
  const word = withoutMark(text.trim());
  const folded = word.toLowerCase();
  const spellings = (choice: string) => (tokens === undefined ? [choice] : spellingsOf(tokens, choice));
  const same = known.filter((choice) => spellings(choice).some((each) => each.toLowerCase() === folded));
  if (same.length > 0) return same.length === 1 ? same[0] : undefined;
  const printed = known.filter((choice) => spellings(choice).some((each) => stateWord(each) === stateWord(word)));
  return printed.length === 1 ? printed[0] : undefined;
}

const AGE = /^(\d{1,4})(m|h|d|w|y)$/;
const UNITS: Readonly<Record<string, string>> = { m: 'minutes', h: 'hours', d: 'days', w: 'weeks' };
const DAYS_OF_A_YEAR = 365;

/** Writes an age such as `4d` as the declared `4 days`. */
function timeOf(text: string): string {
  const [, count = '', unit = ''] = AGE.exec(text.trim().toLowerCase()) ?? [];
  if (unit === 'y') return `${Number(count) * DAYS_OF_A_YEAR} days`;
  return unit === '' ? text : `${count} ${UNITS[unit] ?? ''}`;
}

/** Replaces the references in a word. @throws UsageError for a reference without a value, or with several values */
export function wordWithValues(word: string, context: unknown): string {
  if (!word.includes('${')) return word;
  const value = resolveReferences(word, context, (reference) => {
    throw new UsageError(`The context has no value at "${reference.slice(0, 60)}".`, {
      hint: 'See all of it with: context',
    });
  });
  const values = [value].flat();
  if (values.length === 1) return asText(values[0]);
  throw new UsageError(`${word.slice(0, 60)} has ${values.length} values, and this needs one.`, {
    hint: 'Choose a record, such as ${AiSec.RuntimeScan.[0].scan_id}.',
  });
}
