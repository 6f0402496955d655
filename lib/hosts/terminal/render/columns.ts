/** Computes the column widths of a table. */
import type { Measure } from './measure.ts';

const NARROWEST = 8;
// Ids are copied as a whole; longer words are addresses or blobs and may be broken.
const MAX_WHOLE_WORD_LENGTH = 40;

/** Size of a column, measured cell by cell. */
export interface ColumnSize {
  /** The widest line. */
  line: number;
  /** The widest word. */
  word: number;
}

/** Measures the heading of a column. */
export function sizeOf(heading: string, measure: Measure): ColumnSize {
  return { line: widestLine(heading, 0, measure), word: widestWord(heading, 0, measure) };
}

/** Adds one cell to the size of a column. */
export function widen(size: ColumnSize, text: string, measure: Measure): void {
  size.line = widestLine(text, size.line, measure);
  size.word = widestWord(text, size.word, measure);
}

/**
 * Computes the widths of all columns.
 * @param available columns of the terminal, without gaps
 * @returns undefined if a column would be too narrow to read
 */
export function columnWidths(sizes: readonly ColumnSize[], available: number): number[] | undefined {
  const wanted = sizes.map(({ line, word }) => ({
    natural: line,
    floor: Math.min(line, Math.max(NARROWEST, Math.min(word, MAX_WHOLE_WORD_LENGTH))),
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

/** Measures the widest word. Plain text is scanned in place, because a long table has a hundred thousand words. */
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
