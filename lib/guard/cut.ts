/** Finds where a scanned text may be cut, also where the service masked places of it: never in or close before a masked place. */
import { boundaryBefore, pairBoundary } from './boundary.ts';

/** A place in the scanned text, and the same place in what may be shown of it. */
export interface Cut {
  readonly text: number;
  readonly shown: number;
}

/** A masked text may begin or end as the original did: so many equal characters before and after a cut vouch for it. */
const EQUAL_BEFORE = 4;
const EQUAL_AFTER = 8;
/** How far before the wished place an unmasked place is searched. */
const FAR = 600;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Finds the last place at or before `wished` where a scanned text may be cut.
 * @param shown what may be shown of `text`: itself, or its masked form
 * @returns undefined if no place is certain
 */
export function cutBefore(text: string, shown: string, wished: number): Cut | undefined {
  if (wished <= 0) return undefined;
  if (shown === text) return sameIn(boundaryBefore(text, wished));
  const { start, end } = unchangedEnds(text, shown);
  const growth = shown.length - text.length;
  const inEnd = boundaryBefore(text, wished);
  // All that changed lies before the cut.
  if (inEnd >= text.length - end + EQUAL_BEFORE) return { text: inEnd, shown: inEnd + growth };
  const inStart = boundaryBefore(text, Math.min(wished, start - EQUAL_AFTER));
  return wished <= start - EQUAL_AFTER ? sameIn(inStart) : (between(text, shown, wished) ?? sameIn(inStart));
}

/** Returns the length of the start and of the end that a text and its masked form share. */
export function unchangedEnds(text: string, shown: string): { readonly start: number; readonly end: number } {
  const shorter = Math.min(text.length, shown.length);
  let start = 0;
  while (start < shorter && text[start] === shown[start]) start += 1;
  let end = 0;
  while (end < shorter - start && text.at(-1 - end) === shown.at(-1 - end)) end += 1;
  return { start, end };
}

function sameIn(at: number): Cut | undefined {
  return at > 0 ? { text: at, shown: at } : undefined;
}

/** Finds a cut between two masked places: text around it that is unchanged, and is nowhere else. */
function between(text: string, shown: string, wished: number): Cut | undefined {
  const places = [...graphemes.segment(text.slice(0, wished + 1))].map(({ index }) => index);
  for (const at of places.reverse()) {
    if (at < EQUAL_BEFORE || at < wished - FAR) return undefined;
    if (at > wished) continue;
    const around = text.slice(at - EQUAL_BEFORE, at + EQUAL_AFTER);
    const found = placeOf(text, shown, around, at - EQUAL_BEFORE);
    if (found !== undefined) return { text: at, shown: found + EQUAL_BEFORE };
  }
  return undefined;
}

/** Returns where a piece of the text is in its masked form; undefined if it is not certain. */
function placeOf(text: string, shown: string, piece: string, at: number): number | undefined {
  if (piece.length < EQUAL_BEFORE + EQUAL_AFTER) return undefined;
  // Masks that are as long as what they hide move nothing.
  if (text.length === shown.length && shown.startsWith(piece, at)) return at;
  const found = shown.indexOf(piece);
  const isOnce = found >= 0 && shown.lastIndexOf(piece) === found && text.indexOf(piece) === text.lastIndexOf(piece);
  return isOnce ? found : undefined;
}

/** Returns a cut for a text without any boundary, such as an endless pile of accents. */
export function forcedCut(text: string, shown: string, wished: number): Cut | undefined {
  return shown === text ? sameIn(pairBoundary(text, wished)) : undefined;
}
