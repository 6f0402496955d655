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
  const size = { line: 0, word: 0 };
  widen(size, heading, measure);
  return size;
}

/** Adds one cell to the size of a column. */
export function widen(size: ColumnSize, text: string, measure: Measure): void {
  size.line = widest(text.split('\n'), size.line, measure);
  size.word = widest(text.split(/\s+/), size.word, measure);
}

function widest(parts: readonly string[], known: number, measure: Measure): number {
  return parts.reduce((most, part) => Math.max(most, measure(part)), known);
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
