/** Finds places where a text may be cut: at white space if it is near, never inside a character as people see it. */

/** How far before the wished place white space is searched. */
export const NEAR = 40;
/** The end of a mask may be as the original was: so many equal characters before a cut vouch for it. */
const EQUAL = 4;

const graphemes = new Intl.Segmenter();

/**
 * Finds the last place at or before `wished` where `text` may be cut.
 * @param text begins at a boundary; more text may follow it
 * @returns 0 if it may be cut nowhere
 */
export function boundaryBefore(text: string, wished: number): number {
  // The last character may still grow: an accent may follow it.
  const latest = Math.min(wished, text.length - 1);
  if (latest <= 0) return 0;
  for (let at = latest; at > latest - NEAR; at -= 1)
    if (/\s/.test(text.charAt(at - 1)) && startOf(text, at) === at) return at;
  return startOf(text, latest);
}

/** Returns the start of the character that contains the code unit at `at`. */
function startOf(text: string, at: number): number {
  return graphemes.segment(text).containing(at)?.index ?? text.length;
}

/**
 * Finds the last such place in a scanned text, with all that the service masked before it.
 * @param shown what may be shown of `text`: itself, or its masked form
 */
export function cutBefore(text: string, shown: string, wished: number): number {
  const at = boundaryBefore(text, wished);
  return shown.endsWith(text.slice(Math.max(0, at - EQUAL))) ? at : 0;
}

/** Returns a place that keeps surrogate pairs together, for texts without any other boundary. */
export function pairBoundary(text: string, wished: number): number {
  return /[\ud800-\udbff]$/.test(text.slice(0, wished)) ? wished + 1 : wished;
}
