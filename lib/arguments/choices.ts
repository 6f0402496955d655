/** The spelling of choices and neutral tokens: people type any case, and the words of the wire. */
import { spellingsOf, toNeutral } from '../api/tokens.ts';
import type { Argument } from './words.ts';

/**
 * Finds the declared spelling of a typed choice. An exact match wins; otherwise any case of a choice, or of a word of the wire
 * that means it, is that choice.
 * @returns what was typed where it is no choice, could be several, or the list is open; a word of the wire is its neutral token
 */
export function declaredSpelling({ choices, tokens }: Argument, typed: string): string {
  if (choices !== undefined && choices.indexOf(typed) >= 0) return typed;
  const neutral = tokens === undefined ? typed : toNeutral(tokens, typed);
  if (choices === undefined || choices.indexOf(neutral) >= 0) return neutral;
  const folded = typed.toLowerCase();
  const meant = choices.filter((choice) => {
    const spellings = tokens === undefined ? [choice] : spellingsOf(tokens, choice);
    return spellings.some((spelling) => spelling.toLowerCase() === folded);
  });
  return meant.length === 1 ? (meant[0] ?? neutral) : neutral;
}
