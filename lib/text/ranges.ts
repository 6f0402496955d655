/** Writes and reads lists of whole numbers as short texts, such as `1-20 23`. */

/** Writes a list, with its order and its repetitions. */
export function rangesOf(numbers: readonly number[]): string {
  const follows = (at: number) => numbers[at] === (numbers[at - 1] ?? Number.NaN) + 1;
  return numbers
    .map((number, at) => (follows(at + 1) ? (follows(at) ? '' : `${number}-`) : `${number} `))
    .join('')
    .trim();
}

/** Reads the text of {@link rangesOf}. */
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
