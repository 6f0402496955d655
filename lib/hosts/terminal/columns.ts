/** How wide the columns of a table become, or whether they fit at all. */
import type { Measure } from './measure.ts';

const NARROWEST = 8;
// Ids are read and copied as a whole; anything longer is an address or a blob and may be broken.
const LONGEST_WHOLE_WORD = 40;

/** What is known of a column after some of its texts. */
export interface ColumnSize {
  /** The widest line. */
  line: number;
  /** The widest word. */
  word: number;
}

/** A column of which there is only the heading. */
export function sizeOf(heading: string, measure: Measure): ColumnSize {
  return { line: widestLine(heading, 0, measure), word: widestWord(heading, 0, measure) };
}

/** Takes one more text of a column into account. */
export function widen(size: ColumnSize, text: string, measure: Measure): void {
  size.line = widestLine(text, size.line, measure);
  size.word = widestWord(text, size.word, measure);
}

/**
 * Widths for the columns of a table.
 * @param available columns of the terminal, gaps left out
 * @returns undefined when a column would become too narrow to be read
 */
export function columnWidths(sizes: readonly ColumnSize[], available: number): number[] | undefined {
  const wanted = sizes.map(({ line, word }) => ({
    natural: line,
    floor: Math.min(line, Math.max(NARROWEST, Math.min(word, LONGEST_WHOLE_WORD))),
  }));
  for (let most = available; most >= 0; most -= 1) {
    const widths = wanted.map(({ natural, floor }) => Math.max(floor, Math.min(natural, most)));
    if (widths.reduce((total, width) => total + width, 0) <= available) return widths;
  }
  return undefined;
}

function widestLine(text: string, known: number, measure: Measure): number {
  if (text.indexOf('\n') < 0) return Math.max(known, measure(text));
  return text.split('\n').reduce((most, line) => Math.max(most, measure(line)), known);
}

const SPACE = 0x20;
const LINE_END = 0x0a;
const LAST_PLAIN = 0x7e;

/** Counted where a character is a column, without cutting the text up: a long table has a hundred thousand words. */
function widestWord(text: string, known: number, measure: Measure): number {
  let most = known;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > LAST_PLAIN || (code < SPACE && code !== LINE_END)) {
      return text.split(/\s+/).reduce((widest, word) => Math.max(widest, measure(word)), known);
    }
    if (code > SPACE) continue;
    most = Math.max(most, at - start);
    start = at + 1;
  }
  return Math.max(most, text.length - start);
}
