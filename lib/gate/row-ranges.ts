/** Numbers of rows, shown as ranges: a file of a million rows may lack half of them. */
import { grouped } from '../text/numbers.ts';

export interface RowRanges {
  /** @param last of a range that begins with the first; default: that one alone */
  add(first: number, last?: number): void;
  count(): number;
  /** Such as `rows 3-5, 9`; empty when there are none. */
  text(noun?: string): string;
}

const MOST_SHOWN = 10;

export function rowRanges(): RowRanges {
  const shown: [number, number][] = [];
  let count = 0;
  let beyond = 0;
  return {
    add: (first, last = first) => {
      const before = shown[shown.length - 1];
      count += last - first + 1;
      if (beyond === 0 && before !== undefined && before[1] + 1 === first) before[1] = last;
      else if (shown.length < MOST_SHOWN) shown.push([first, last]);
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
