/** Finds images and links that a markdown client would render. */

const MARKUP = /[[\]]|<[a-z/!?]|:\/\/|www\./gi;

/** Lists brackets, tags and addresses that are not escaped. */
export function liveMarkup(text: string): readonly string[] {
  const found: string[] = [];
  for (const { 0: sign, index } of text.matchAll(MARKUP)) {
    const [behind = ''] = /\\*$/.exec(text.slice(0, index)) ?? [];
    if (behind.length % 2 === 0) found.push(`${sign} in ${text.slice(Math.max(0, index - 20), index + 20)}`);
  }
  return found;
}
