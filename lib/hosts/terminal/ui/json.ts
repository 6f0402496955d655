import { UNSEEN_IN_TEXT } from '../../../core/redaction/characters.ts';
import { mapInTurns } from './in-turns.ts';

const NOT_PLAIN = /[^\n -~]/;
/** Matches slices to escape one by one, without splitting a surrogate pair. */
const SLICES = /[\s\S]{1,50000}(?![\udc00-\udfff])/g;

/**
 * Writes JSON that is safe to print: invisible characters are escaped.
 * @param indented on several lines, for people
 */
export function jsonText(value: unknown, indented = false): string {
  const text = plainJson(value, indented);
  return NOT_PLAIN.test(text) ? text.replace(UNSEEN_IN_TEXT, escaped) : text;
}

/** Writes JSON of any size without blocking the event loop. @throws CancelledError after a stop */
export async function longJsonText(
  value: unknown,
  indented: boolean,
  signal: AbortSignal | undefined,
): Promise<string> {
  const text = plainJson(value, indented);
  if (!NOT_PLAIN.test(text)) return text;
  const slices = text.match(SLICES) ?? [];
  return (await mapInTurns(slices, signal, (slice) => slice.replace(UNSEEN_IN_TEXT, escaped))).join('');
}

function plainJson(value: unknown, indented: boolean): string {
  return JSON.stringify(value ?? null, undefined, indented ? 2 : undefined);
}

/** Caches escapes, because hostile text may contain millions of the same few characters. */
const known = new Map<string, string>();

// JSON.stringify leaves invisible characters unchanged; \u escapes are safe in a terminal and keep the value.
function escaped(character: string): string {
  const made = known.get(character) ?? unitsOf(character);
  known.set(character, made);
  return made;
}

function unitsOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
