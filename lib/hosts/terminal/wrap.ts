/** Text laid out in a given width. */
import { characters } from './characters.ts';
import type { Measure } from './measure.ts';
import type { Style } from './style.ts';

/** What a text is laid out on. */
export interface Page {
  readonly width: number;
  readonly style: Style;
  readonly measure: Measure;
  /** Ends the work with a CancelledError. */
  readonly signal?: AbortSignal | undefined;
}

const PLAIN = /^[\x20-\x7e]*$/;
const LONGEST_TERM = 30;
const NARROWEST_MEANING = 20;

/** The text on one line, cut where it is too long. */
export function cut(text: string, { width, measure }: Pick<Page, 'width' | 'measure'>): string {
  // Of each run of white space as a whole: from each of its characters, its line end would be looked for again.
  const line = text.replace(/\s+/g, (space) => (space.includes('\n') ? ' ' : space));
  return measure(line) <= width ? line : `${broken(line, Math.max(1, width - 1), measure)[0] ?? ''}…`;
}

/** Lines no wider than `width`, broken between words; a word that is wider is broken inside. */
export function wrapped(text: string, width: number, measure: Measure): string[] {
  if (text.indexOf('\n') < 0) return measure(text) <= width ? [text] : wrappedLine(text, width, measure);
  return text.split('\n').flatMap((line) => (measure(line) <= width ? [line] : wrappedLine(line, width, measure)));
}

function wrappedLine(line: string, width: number, measure: Measure): string[] {
  const lines: string[] = [];
  let current = '';
  let used = 0;
  for (const piece of line.match(/\s+|\S+/g) ?? []) {
    const size = measure(piece);
    if (used + size <= width) {
      current += piece;
      used += size;
      continue;
    }
    if (current.trim() !== '') lines.push(current.trimEnd());
    const parts = /^\s/.test(piece) ? [''] : broken(piece, width, measure);
    for (const part of parts.slice(0, -1)) lines.push(part);
    current = parts.at(-1) ?? '';
    used = measure(current);
  }
  return current.trim() === '' ? lines : [...lines, current.trimEnd()];
}

function broken(word: string, width: number, measure: Measure): string[] {
  const parts: string[] = [];
  if (PLAIN.test(word)) {
    for (let at = 0; at < word.length; at += Math.max(1, width)) parts.push(word.slice(at, at + Math.max(1, width)));
    return parts;
  }
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

/** Terms and what they mean, in two columns; a long meaning continues below itself. */
export function definitions(
  pairs: readonly (readonly [string, string])[],
  { width, measure }: Pick<Page, 'width' | 'measure'>,
  emphasis: (term: string) => string = (term) => term,
): string[] {
  const define = definer(
    pairs.map(([term]) => term),
    { width, measure },
    emphasis,
  );
  return pairs.flatMap(([term, meaning]) => define(term, meaning));
}

/** The same one by one, for what is too much at once. @param terms all that there will be */
export function definer(
  terms: readonly string[],
  { width, measure }: Pick<Page, 'width' | 'measure'>,
  emphasis: (term: string) => string,
): (term: string, meaning: string) => string[] {
  const widest = terms.reduce((most, term) => Math.max(most, measure(term)), 0);
  const termWidth = Math.min(LONGEST_TERM, widest);
  const gap = ' '.repeat(termWidth + 4);
  return (term, meaning) => {
    const lines = wrapped(meaning, Math.max(NARROWEST_MEANING, width - gap.length), measure);
    const space = termWidth - measure(term);
    const head = `  ${emphasis(term)}`;
    if (space < 0) return [head, ...lines.map((line) => gap + line)];
    const rest = lines.slice(1).map((line) => gap + line);
    return [`${head}${' '.repeat(space)}  ${lines[0] ?? ''}`.trimEnd(), ...rest];
  };
}
