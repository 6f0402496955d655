/**
 * Text in characters as a reader sees them. The engine hands out each one together with a copy of all of the text, so a
 * long text is cut up first: otherwise time and memory would grow with the square of its length.
 */

const WINDOW = 100;

// It takes longer to make than most programs run, and plain text needs none.
let segmenter: Intl.Segmenter | undefined;

/** The characters of a text, some at a time. */
export function* someCharacters(text: string): Generator<string[], void> {
  segmenter ??= new Intl.Segmenter();
  for (let start = 0; start < text.length; ) {
    const found = [...segmenter.segment(text.slice(start, start + WINDOW))].map(({ segment }) => segment);
    // The last one may go on behind the cut.
    const isCut = start + WINDOW < text.length && found.length > 1;
    const whole = isCut ? found.slice(0, -1) : found;
    start += whole.reduce((length, character) => length + character.length, 0);
    yield whole;
  }
}

/** The characters of a text, one by one. */
export function* characters(text: string): Generator<string, void> {
  for (const some of someCharacters(text)) yield* some;
}
