/** Lists of whole numbers as a short text, such as `1-20 23`. */

/** Writes a list; its order and its repetitions stay. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges[ranges.length - 1];
    if (last !== undefined && last[1] + 1 === number) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(' ');
}

/** Reads what {@link rangesOf} wrote. */
export function listOf(ranges: string): number[] {
  const numbers: number[] = [];
  for (const range of ranges.split(' ').filter((part) => part !== '')) {
    const [first = 0, last = first] = range.split('-').map(Number);
    for (let number = first; number <= last; number += 1) numbers.push(number);
  }
  return numbers;
}
