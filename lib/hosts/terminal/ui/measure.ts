/** Measures text in terminal columns. Loads string-width only for text that may contain wide characters. */

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
    // A part also contains the plain characters after a character that may combine.
    else for (const character of part.others) sum += PLAIN_TEXT.test(character) ? character.length : 2;
  }
  return sum;
};

/**
 * Returns a measure for the given text; wide, joined and combining characters count as displayed. @param shown all text
 * that will be measured
 */
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

/** Caches widths, because characters repeat within a text and a table measures each cell several times. */
function memoized(measure: Measure): Measure {
  const known = new Map<string, number>();
  return (character) => {
    const width = known.get(character) ?? measure(character);
    if (known.size < MAX_KNOWN) known.set(character, width);
    return width;
  };
}

/** Checks value by value, because one joined string could exceed the maximum length. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return PLAIN_LINES.test(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isPlain);
  return Object.entries(value).every(([name, member]) => PLAIN_LINES.test(name) && isPlain(member));
}

/** Characters that never combine with their neighbours and take one column; `WIDE`: two columns. */
const NARROW =
  '\\x20-\\x7e\\u00a1-\\u00ac\\u00ae-\\u02ff\\u0391-\\u03a1\\u03a3-\\u03ce\\u0400-\\u0481\\u048a-\\u052f\\u2010-\\u2026';
const WIDE = '\\u3000-\\u3020\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff5e';
/** Limits one match, because the end of a match may be read again. */
const SIMPLE = new RegExp(`[${NARROW}${WIDE}]{0,1000}`, 'y');
const FIRST_WIDE = 0x3000;
const WINDOW = 100;

// Creating a segmenter takes longer than most commands, and plain text needs none.
let segmenter: Intl.Segmenter | undefined;

/** Part of a text: `simple` has one character in each code unit; `others` is a list of graphemes. */
export type Part = { readonly simple: string } | { readonly others: readonly string[] };

/**
 * Yields the text in short parts, because `Intl.Segmenter` copies the whole text into each segment; text of simple
 * characters is not passed to it at all. A grapheme of more than a hundred code units is cut too.
 */
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
    // The last grapheme may continue after the cut.
    const others = cut < text.length && found.length > 1 ? found.slice(0, -1) : found;
    start += others.reduce((length, character) => length + character.length, 0);
    yield { others };
  }
}

/** Returns a cut that does not split a surrogate pair: half a pair would hide that the grapheme before it continues. */
function cutAt(text: string, place: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(place - 1)) ? place + 1 : place;
}

/** Counts the columns of a simple part. */
export function simpleWidth(text: string): number {
  let width = text.length;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) >= FIRST_WIDE) width += 1;
  return width;
}

/** Yields the graphemes of a text. */
export function* graphemes(text: string): Generator<string, void> {
  for (const part of partsOf(text)) yield* 'simple' in part ? part.simple : part.others;
}

/** Finds the end of a run of simple characters, without the last character, which a following mark may join. */
function endOfSimple(text: string, start: number): number {
  SIMPLE.lastIndex = start;
  const end = start + (SIMPLE.exec(text)?.[0].length ?? 0);
  return end === text.length ? end : end - 1;
}

function segments(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}
