/**
 * Text in characters as a reader sees them. The engine's segmenter hands out each one together with a copy of all of the text,
 * so it sees a long text in parts, and what needs no segmenter it does not see at all.
 */

/** Characters that stand alone between their equals and take one column, then those that take two. */
const NARROW =
  '\\x20-\\x7e\\u00a1-\\u00ac\\u00ae-\\u02ff\\u0391-\\u03a1\\u03a3-\\u03ce\\u0400-\\u0481\\u048a-\\u052f\\u2010-\\u2026';
const WIDE = '\\u3000-\\u3020\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff5e';
/** So many at once: what is read again stays short. */
const SIMPLE = new RegExp(`[${NARROW}${WIDE}]{0,1000}`, 'y');
const FIRST_WIDE = 0x3000;
const WINDOW = 100;

// It takes longer to make than most programs run, and plain text needs none.
let segmenter: Intl.Segmenter | undefined;

/** Some characters of a text: as a text of which every code unit is a character, one or two columns wide, or one by one. */
export type Part = { readonly simple: string } | { readonly others: readonly string[] };

/** The text in short parts. A character of more than a hundred code units is cut as well. */
export function* partsOf(text: string): Generator<Part, void> {
  for (let start = 0; start < text.length; ) {
    const end = endOfSimple(text, start);
    if (end > start) {
      yield { simple: text.slice(start, end) };
      start = end;
      continue;
    }
    const cut = cutAt(text, start + WINDOW);
    const found = segments(text.slice(start, cut));
    // The last one may go on behind the cut.
    const others = cut < text.length && found.length > 1 ? found.slice(0, -1) : found;
    start += others.reduce((length, character) => length + character.length, 0);
    yield { others };
  }
}

/** A place at which no pair of surrogates is parted: half of one would hide that the character before it goes on. */
function cutAt(text: string, place: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(place - 1)) ? place + 1 : place;
}

/** Columns of a simple part. */
export function simpleWidth(text: string): number {
  let width = text.length;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) >= FIRST_WIDE) width += 1;
  return width;
}

/** The characters of a text, one by one. */
export function* characters(text: string): Generator<string, void> {
  for (const part of partsOf(text)) yield* 'simple' in part ? part.simple : part.others;
}

/** Where a run of simple characters ends; what follows it may join its last one. */
function endOfSimple(text: string, start: number): number {
  SIMPLE.lastIndex = start;
  const end = start + (SIMPLE.exec(text)?.[0].length ?? 0);
  return end === text.length ? end : end - 1;
}

function segments(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}
