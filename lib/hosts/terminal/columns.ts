/** How wide the columns of a table become, or whether they fit at all. */
import type { Measure } from './measure.ts';

const NARROWEST = 8;
// Ids are read and copied as a whole; anything longer is an address or a blob and may be broken.
const LONGEST_WHOLE_WORD = 40;

/**
 * Widths for the columns of a table.
 * @param columns the texts of each column, its heading included
 * @param available columns of the terminal, gaps left out
 * @returns undefined when a column would become too narrow to be read
 */
export function columnWidths(
  columns: readonly (readonly string[])[],
  available: number,
  measure: Measure,
): number[] | undefined {
  const widest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, measure(text)), 0);
  const natural = columns.map((texts) => widest(texts.flatMap((text) => text.split('\n'))));
  const floor = columns.map((texts, index) => {
    const word = widest(texts.flatMap((text) => text.split(/\s+/)));
    return Math.min(natural[index] ?? 0, Math.max(NARROWEST, Math.min(word, LONGEST_WHOLE_WORD)));
  });
  for (let most = available; most >= 0; most -= 1) {
    const widths = natural.map((width, index) => Math.max(floor[index] ?? 0, Math.min(width, most)));
    if (widths.reduce((total, width) => total + width, 0) <= available) return widths;
  }
  return undefined;
}
