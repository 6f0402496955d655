/** Wraps text to a width. */
import { stripVTControlCharacters } from 'node:util';
import { graphemes, type Measure } from './measure.ts';
import type { Style } from './style.ts';

/** Width and style of the output. */
export interface Page {
  readonly width: number;
  readonly style: Style;
  readonly measure: Measure;
  /** Stops the layout with a CancelledError. */
  readonly signal?: AbortSignal | undefined;
}

const PLAIN = /^[\x20-\x7e]*$/;
const MAX_TERM_LENGTH = 30;
const NARROWEST_MEANING = 20;
/** Maximum columns lost by leaving out a word as a whole. */
const NEAR_WORD = 6;

/** Returns the text on one line, truncated to the width. */
export function cut(text: string, { width, measure }: Pick<Page, 'width' | 'measure'>): string {
  // Matches whole runs of white space, because a search from each character would be quadratic.
  const line = text.replace(/\s+/g, (space) => (space.includes('\n') ? ' ' : space));
  return measure(line) <= width ? line : `${broken(line, Math.max(1, width - 1), measure)[0] ?? ''}…`;
}

/** Truncates the text to a number of columns with `…`, at the end of a word if possible. */
export function cutAtWord(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  const part = broken(text, Math.max(1, width - 1), measure)[0] ?? '';
  const end = part.lastIndexOf(' ');
  const isBetween = /\s/.test(text.charAt(part.length));
  const isNear = !isBetween && end > 0 && part.length - end <= NEAR_WORD;
  return `${(isNear ? part.slice(0, end) : part).trimEnd()}…`;
}

/** Truncates the text with `…` between words; a first word that is too wide is kept in full. */
export function cutBetweenWords(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  const part = broken(text, Math.max(1, width - 1), measure)[0] ?? '';
  const isAtEnd = /\s/.test(text.charAt(part.length));
  const end = isAtEnd ? part.length : part.lastIndexOf(' ');
  const first = /^\s*\S+/.exec(text)?.[0] ?? text;
  const kept = end > 0 ? part.slice(0, end).trimEnd() : first;
  return kept.length === text.trimEnd().length ? kept : `${kept}…`;
}

/** Truncates the text with `…` at the beginning, for an address, whose end is more informative. */
export function cutAtStart(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  const characters = [...graphemes(text)];
  let room = width - 1;
  let at = characters.length;
  while (at > 0 && measure(characters[at - 1] ?? '') <= room) {
    at -= 1;
    room -= measure(characters[at] ?? '');
  }
  return `…${characters.slice(at).join('')}`;
}

/** Replaces a space inside a command, where lines must not break, because users copy a command as a whole. */
export const UNBROKEN = '\uE000';

/** Restores the spaces of commands. */
export function withSpaces(text: string): string {
  return text.includes(UNBROKEN) ? text.replaceAll(UNBROKEN, ' ') : text;
}

/** Text that people copy as a whole, so it is never broken: an address, a digest, a command. */
const ADDRESS = /^[a-z]+:\/\/\S+$|^[0-9a-f]{40,128}$|\uE000/;

/**
 * Wraps at spaces; a word wider than `width` is broken inside, unless it must stay whole. @param whole Default:
 * addresses and commands
 */
export function wrapped(text: string, width: number, measure: Measure, whole = ADDRESS): string[] {
  const lines = text.split('\n');
  return lines
    .flatMap((line) => (measure(line) <= width ? [line] : wrappedLine(line, width, measure, whole)))
    .map(withSpaces);
}

/** Breaks long lines at spaces only, so that a path can be copied from a message. */
export function folded(text: string, width: number): string {
  return wrapped(text, width, (part) => stripVTControlCharacters(part).length, /./).join('\n');
}

function wrappedLine(line: string, width: number, measure: Measure, whole: RegExp): string[] {
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
    const parts = /^\s/.test(piece) ? [''] : whole.test(piece) ? [piece] : broken(piece, width, measure);
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
  for (const character of graphemes(word)) {
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

/** Renders terms and their meanings in two columns. */
export function definitions(
  pairs: readonly (readonly [string, string])[],
  { width, measure }: Pick<Page, 'width' | 'measure'>,
  emphasis: (term: string) => string = (term) => term,
): string[] {
  const define = definitionRenderer(
    pairs.map(([term]) => term),
    { width, measure },
    emphasis,
  );
  return pairs.flatMap(([term, meaning]) => define(term, meaning));
}

/** Creates a renderer for one definition at a time. @param terms all terms, for the column's width */
export function definitionRenderer(
  terms: readonly string[],
  { width, measure }: Pick<Page, 'width' | 'measure'>,
  emphasis: (term: string) => string,
): (term: string, meaning: string) => string[] {
  const widest = terms.reduce((most, term) => Math.max(most, measure(term)), 0);
  const termWidth = Math.min(MAX_TERM_LENGTH, widest);
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
