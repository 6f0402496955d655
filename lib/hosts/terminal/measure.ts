/** How many columns of a terminal a text takes. What knows about wide characters is loaded only when there may be some. */
import { partsOf, simpleWidth } from './characters.ts';

export type Measure = (text: string) => number;

const PLAIN_TEXT = /^[\x20-\x7e]*$/;
const MOST_KNOWN = 10_000;
const PLAIN_LINES = /^[\n\x20-\x7e]*$/;

/** For texts of our own: one column a character. */
export const plainMeasure: Measure = (text) => text.length;

/** For what others wrote: wide, joined and combining characters are known, where there are any. @param shown all that will be measured */
export async function measureFor(shown: unknown): Promise<Measure> {
  if (isPlain(shown)) return plainMeasure;
  const { default: stringWidth } = await import('string-width');
  const widthOf = remembering(stringWidth);
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

/** Most texts repeat their characters, and a table asks for each of them several times. */
function remembering(measure: Measure): Measure {
  const known = new Map<string, number>();
  return (character) => {
    const width = known.get(character) ?? measure(character);
    if (known.size < MOST_KNOWN) known.set(character, width);
    return width;
  };
}

/** Looked at piece by piece: written out, all of it could be longer than a text can be. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return PLAIN_LINES.test(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isPlain);
  return Object.entries(value).every(([name, member]) => PLAIN_LINES.test(name) && isPlain(member));
}
