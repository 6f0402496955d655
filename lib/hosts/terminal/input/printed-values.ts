/** Accepts the values that tables print as arguments: `✓ done` for COMPLETED, and `4d` for a time. */
import { type Argument, isTime } from '../../../arguments/builders.ts';
import type { Invocation } from '../../../arguments/lexer.ts';
import { spellingsOf } from '../../../core/tokens.ts';
import type { Command } from '../../../engine/command.ts';
import { stateWord, withoutMark } from '../../../project/printed.ts';

/** Replaces printed values by the values that the command takes; all others stay as typed. */
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
  // Suggested values are not the only ones: a change sends what was typed.
  if (argument.choices === undefined && !reads) return text;
  if (argument.kind !== 'list') return printedChoice(argument, text) ?? text;
  if (text.trim().startsWith('[')) return text;
  return text
    .split(',')
    .map((item) => printedChoice(argument, item.trim()) ?? item)
    .join(',');
}

/**
 * Finds the choice, or the suggested value, that a text means: itself in any case, its wire value, or its printed word.
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
