/** Collects row numbers as ranges: a file of a million rows may lack half of them. */
import { grouped } from '../../text/numbers.ts';

export interface RowRanges {
  /** Adds a row or a range. @param last end of the range. Default: `first` */
  add(first: number, last?: number): void;
  count(): number;
  /** Formats the ranges, such as `rows 3-5, 9`; empty if there are none. */
  text(noun?: string): string;
}

const MAX_SHOWN = 10;

/** Starts an empty collection. */
export function rowRanges(): RowRanges {
  const shown: [number, number][] = [];
  let count = 0;
  let beyond = 0;
  return {
    add: (first, last = first) => {
      const before = shown[shown.length - 1];
      count += last - first + 1;
      if (beyond === 0 && before !== undefined && before[1] + 1 === first) before[1] = last;
      else if (shown.length < MAX_SHOWN) shown.push([first, last]);
      else beyond += last - first + 1;
    },
    count: () => count,
    text: (noun = 'row') => {
      if (count === 0) return '';
      const ranges = shown.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
      const more = beyond === 0 ? '' : `, and ${grouped(beyond)} more`;
      return `${noun}${count === 1 ? '' : 's'} ${ranges.join(', ')}${more}`;
    },
  };
}
