/** Measures text in terminal columns. string-width is loaded only for text that may hold wide characters. */
import { partsOf, simpleWidth } from './graphemes.ts';

export type Measure = (text: string) => number;

const PLAIN_TEXT = /^[\x20-\x7e]*$/;
const MAX_KNOWN = 10_000;
const PLAIN_LINES = /^[\n\x20-\x7e]*$/;

/** Measures ASCII text: one column for each character. */
export const plainMeasure: Measure = (text) => text.length;

/** Measures without string-width, for lines that must not break: ambiguous characters count as wide. */
export const columns: Measure = (text) => {
  let sum = 0;
  for (const part of partsOf(text)) {
    if ('simple' in part) sum += simpleWidth(part.simple);
    // A part also holds the plain characters behind a character that may combine.
    else for (const character of part.others) sum += PLAIN_TEXT.test(character) ? character.length : 2;
  }
  return sum;
};

/** Returns a measure for the given text; wide, joined and combining characters count as displayed. @param shown all that will be measured */
export async function measureFor(shown: unknown): Promise<Measure> {
  if (isPlain(shown)) return plainMeasure;
  const { default: stringWidth } = await import('string-width');
  const widthOf = memoized(stringWidth);
  const width = (text: string) => {
    let sum = 0;
    for (const part of partsOf(text)) {
      if ('simple' in part) sum += simpleWidth(part.simple);
      else for (const character of part.others) sum += widthOf(character);
    }
    return sum;
  };
  return (text) => (PLAIN_TEXT.test(text) ? text.length : width(text));
}

/** Caches widths, because texts repeat their characters and a table measures each cell several times. */
function memoized(measure: Measure): Measure {
  const known = new Map<string, number>();
  return (character) => {
    const width = known.get(character) ?? measure(character);
    if (known.size < MAX_KNOWN) known.set(character, width);
    return width;
  };
}

/** Checks value by value: as one string it could exceed the maximum length. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return PLAIN_LINES.test(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isPlain);
  return Object.entries(value).every(([name, member]) => PLAIN_LINES.test(name) && isPlain(member));
}
