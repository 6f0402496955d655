/** Finds places where a text may be cut: at white space if it is near, never inside a character as people see it. */

/** How far before the wished place white space is searched. */
export const NEAR = 40;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Finds the last place at or before `wished` where `text` may be cut.
 * @param text begins at a boundary; more text may follow it
 * @returns 0 if it may be cut nowhere
 */
export function boundaryBefore(text: string, wished: number): number {
  // The last character may still grow: an accent may follow it.
  const latest = Math.min(wished, text.length - 1);
  if (latest <= 0) return 0;
  for (let at = latest; at > Math.max(0, latest - NEAR); at -= 1)
    if (/\s/.test(text.charAt(at - 1)) && startOf(text, at) === at) return at;
  return startOf(text, latest);
}

/** Returns the start of the character that contains the code unit at `at`. */
function startOf(text: string, at: number): number {
  return graphemes.segment(text).containing(at)?.index ?? text.length;
}

/** Returns a place after `least` that only keeps surrogate pairs together, for texts without any other boundary. */
export function pairBoundary(text: string, wished: number, least = 0): number {
  if (!/^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(wished - 1, wished + 1))) return wished;
  return wished - 1 > least ? wished - 1 : wished + 1;
}
