/** Text laid out in a given width. */
import type { Measure } from './measure.ts';
import type { Style } from './style.ts';

/** What a text is laid out on. */
export interface Page {
  readonly width: number;
  readonly style: Style;
  readonly measure: Measure;
}

const LONGEST_TERM = 30;
const NARROWEST_MEANING = 20;

/** The text on one line, cut where it is too long. */
export function cut(text: string, { width, measure }: Pick<Page, 'width' | 'measure'>): string {
  const line = text.replace(/\s*\n\s*/g, ' ');
  return measure(line) <= width ? line : `${broken(line, Math.max(1, width - 1), measure)[0] ?? ''}…`;
}

/** Lines no wider than `width`, broken between words; a word that is wider is broken inside. */
export function wrapped(text: string, width: number, measure: Measure): string[] {
  return text.split('\n').flatMap((line) => (measure(line) <= width ? [line] : wrappedLine(line, width, measure)));
}

function wrappedLine(line: string, width: number, measure: Measure): string[] {
  const lines: string[] = [];
  let current = '';
  for (const piece of line.match(/\s+|\S+/g) ?? []) {
    if (measure(current) + measure(piece) <= width) {
      current += piece;
      continue;
    }
    if (current.trim() !== '') lines.push(current.trimEnd());
    const parts = /^\s/.test(piece) ? [''] : broken(piece, width, measure);
    lines.push(...parts.slice(0, -1));
    current = parts.at(-1) ?? '';
  }
  return current.trim() === '' ? lines : [...lines, current.trimEnd()];
}

function broken(word: string, width: number, measure: Measure): string[] {
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const character of characters(word)) {
    const size = measure(character);
    if (used + size > width && part !== '') {
      parts.push(part);
      part = '';
      used = 0;
    }
    part += character;
    used += size;
  }
  return [...parts, part];
}

// The segmenter takes longer to make than most programs run, and plain text needs none.
function characters(text: string): Iterable<string> {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}

/** Terms and what they mean, in two columns; a long meaning continues below itself. */
export function definitions(
  pairs: readonly (readonly [string, string])[],
  { width, measure }: Pick<Page, 'width' | 'measure'>,
  emphasis: (term: string) => string = (term) => term,
): string[] {
  const widest = pairs.reduce((most, [term]) => Math.max(most, measure(term)), 0);
  const termWidth = Math.min(LONGEST_TERM, widest);
  const gap = ' '.repeat(termWidth + 4);
  return pairs.flatMap(([term, meaning]) => {
    const lines = wrapped(meaning, Math.max(NARROWEST_MEANING, width - gap.length), measure);
    const space = termWidth - measure(term);
    const head = `  ${emphasis(term)}`;
    if (space < 0) return [head, ...lines.map((line) => gap + line)];
    const rest = lines.slice(1).map((line) => gap + line);
    return [`${head}${' '.repeat(space)}  ${lines[0] ?? ''}`.trimEnd(), ...rest];
  });
}
