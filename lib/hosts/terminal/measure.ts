/** How many columns of a terminal a text takes. What knows about wide characters is loaded only when there may be some. */

export type Measure = (text: string) => number;

const PLAIN_TEXT = /^[\x20-\x7e]*$/;

/** For texts of our own: one column a character. */
export const plainMeasure: Measure = (text) => text.length;

/** For texts of others: wide, joined and combining characters are known. */
export async function loadMeasure(): Promise<Measure> {
  const { default: stringWidth } = await import('string-width');
  return (text) => (PLAIN_TEXT.test(text) ? text.length : stringWidth(text));
}
