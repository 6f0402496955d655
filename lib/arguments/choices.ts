/** Normalises the spelling of choices and neutral tokens: users type any case, and wire values too. */
import { spellingsOf, toNeutral } from '../core/tokens.ts';
import type { Argument } from './builders.ts';

/**
 * Finds the declared spelling of a typed choice: an exact match, or else the one choice that matches it, or its wire
 * value, in any case.
 * @returns the neutral token of a wire value; the input itself if no choice, or more than one, matches
 */
export function declaredSpelling({ choices, tokens }: Argument, typed: string): string {
  if (choices !== undefined && choices.indexOf(typed) >= 0) return typed;
  const neutral = tokens === undefined ? typed : toNeutral(tokens, typed);
  if (choices === undefined || choices.indexOf(neutral) >= 0) return neutral;
  const folded = typed.toLowerCase();
  const matches = choices.filter((choice) => {
    const spellings = tokens === undefined ? [choice] : spellingsOf(tokens, choice);
    return spellings.some((spelling) => spelling.toLowerCase() === folded);
  });
  return matches.length === 1 ? (matches[0] ?? neutral) : neutral;
}
