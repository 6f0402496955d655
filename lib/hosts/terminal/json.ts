import { UNSEEN_IN_TEXT } from '../../redaction/characters.ts';
import type { Slices } from './slices.ts';

const NOT_PLAIN = /[^\n -~]/;
/** Characters of one slice. */
const SLICE = 50_000;

/**
 * JSON text that is safe to look at and says exactly what the value says.
 * @param indented over several lines, for people
 */
export function jsonText(value: unknown, indented = false): string {
  const text = plainJson(value, indented);
  return NOT_PLAIN.test(text) ? text.replace(UNSEEN_IN_TEXT, escaped) : text;
}

/** The same for a value of any size. @throws CancelledError after a stop */
export async function longJsonText(value: unknown, indented: boolean, slices: Slices): Promise<string> {
  const text = plainJson(value, indented);
  if (!NOT_PLAIN.test(text)) return text;
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    // Half of a pair would not be found.
    const end = /[\ud800-\udbff]/.test(text.charAt(start + SLICE - 1)) ? start + SLICE - 1 : start + SLICE;
    pieces.push(text.slice(start, end).replace(UNSEEN_IN_TEXT, escaped));
    await slices.spend(end - start);
    start = end;
  }
  return pieces.join('');
}

function plainJson(value: unknown, indented: boolean): string {
  return JSON.stringify(value ?? null, undefined, indented ? 2 : undefined);
}

/** There are few of them, and a hostile text has millions. */
const known = new Map<string, string>();

// JSON leaves them as they are. In JSON's own notation they neither act on a terminal nor hide, and the value stays the same.
function escaped(character: string): string {
  const made = known.get(character) ?? unitsOf(character);
  known.set(character, made);
  return made;
}

function unitsOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
