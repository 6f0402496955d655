/** How many columns of a terminal a text takes. What knows about wide characters is loaded only when there may be some. */
import { someCharacters } from './characters.ts';

// Shorter than what is worth cutting up.
const SHORT = 100;

export type Measure = (text: string) => number;

const PLAIN_TEXT = /^[\x20-\x7e]*$/;

/** For texts of our own: one column a character. */
export const plainMeasure: Measure = (text) => text.length;

/** For what others wrote: wide, joined and combining characters are known, where there are any. @param shown all that will be measured */
export async function measureFor(shown: unknown): Promise<Measure> {
  if (PLAIN_TEXT.test(JSON.stringify([shown]))) return plainMeasure;
  const { default: stringWidth } = await import('string-width');
  const width = (text: string) => {
    if (text.length <= SHORT) return stringWidth(text);
    let sum = 0;
    for (const some of someCharacters(text)) sum += stringWidth(some.join(''));
    return sum;
  };
  return (text) => (PLAIN_TEXT.test(text) ? text.length : width(text));
}
