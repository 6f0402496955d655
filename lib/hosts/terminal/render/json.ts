import { UNSEEN_IN_TEXT } from '../../../redaction/characters.ts';
import type { Yielder } from './yielder.ts';

const NOT_PLAIN = /[^\n -~]/;
/** Characters escaped at once. */
const SLICE = 50_000;

/**
 * Writes JSON that is safe to print: invisible characters are escaped.
 * @param indented on several lines, for people
 */
export function jsonText(value: unknown, indented = false): string {
  const text = plainJson(value, indented);
  return NOT_PLAIN.test(text) ? text.replace(UNSEEN_IN_TEXT, escaped) : text;
}

/** Writes JSON of any size without blocking the event loop. @throws CancelledError after a stop */
export async function longJsonText(value: unknown, indented: boolean, yielder: Yielder): Promise<string> {
  const text = plainJson(value, indented);
  if (!NOT_PLAIN.test(text)) return text;
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    // A split surrogate pair would not match.
    const end = /[\ud800-\udbff]/.test(text.charAt(start + SLICE - 1)) ? start + SLICE - 1 : start + SLICE;
    pieces.push(text.slice(start, end).replace(UNSEEN_IN_TEXT, escaped));
    await yielder.spend(end - start);
    start = end;
  }
  return pieces.join('');
}

function plainJson(value: unknown, indented: boolean): string {
  return JSON.stringify(value ?? null, undefined, indented ? 2 : undefined);
}

/** Caches escapes: hostile text may hold millions of the same few characters. */
const known = new Map<string, string>();

// JSON.stringify leaves invisible characters as they are; \u escapes are safe in a terminal and keep the value.
function escaped(character: string): string {
  const made = known.get(character) ?? unitsOf(character);
  known.set(character, made);
  return made;
}

function unitsOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
