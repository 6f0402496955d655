/** Lists of whole numbers as a short text, such as `1-20 23`. */

/** Writes a list; its order and its repetitions stay. */
export function rangesOf(numbers: readonly number[]): string {
  const follows = (at: number) => numbers[at] === (numbers[at - 1] ?? Number.NaN) + 1;
  return numbers
    .map((number, at) => (follows(at + 1) ? (follows(at) ? '' : `${number}-`) : `${number} `))
    .join('')
    .trim();
}

/** Reads what {@link rangesOf} wrote. */
export function listOf(ranges: string): number[] {
  const numbers: number[] = [];
  ranges
    .split(' ')
    .filter((range) => range !== '')
    .forEach((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      for (let number = first; number <= last; number += 1) numbers.push(number);
    });
  return numbers;
}
