/** Collects row numbers as ranges: a file of a million rows may lack half of them. */
import { grouped } from '../../text/numbers.ts';

const MAX_SHOWN = 10;

export class RowRanges {
  readonly #shown: [number, number][] = [];
  #count = 0;
  #beyond = 0;

  /** Adds a row or a range. @param last end of the range. Default: `first` */
  add(first: number, last: number = first): void {
    const before = this.#shown.at(-1);
    this.#count += last - first + 1;
    if (this.#beyond === 0 && before !== undefined && before[1] + 1 === first) before[1] = last;
    else if (this.#shown.length < MAX_SHOWN) this.#shown.push([first, last]);
    else this.#beyond += last - first + 1;
  }

  /** Describes the ranges, such as `rows 3-5, 9`; undefined without a range. @param sentence puts them into words */
  describe(sentence: (ranges: string) => string, noun = 'row'): string | undefined {
    if (this.#count === 0) return undefined;
    const ranges = this.#shown.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
    const more = this.#beyond === 0 ? '' : `, and ${grouped(this.#beyond)} more`;
    return sentence(`${noun}${this.#count === 1 ? '' : 's'} ${ranges.join(', ')}${more}`);
  }
}
