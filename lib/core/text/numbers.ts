/** Formats a whole number as `1,240`, because the platform's engine has no `Intl`. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Rounds to two decimals, or to more decimals if rounding would move the number across a limit. */
export function roundedBeside(number: number, limit: number): number {
  for (let digits = 2; digits < 9; digits += 1) {
    const rounded = Number(number.toFixed(digits));
    if (rounded > limit === number > limit && rounded < limit === number < limit) return rounded;
  }
  return number;
}

/** Formats a number with its noun: `1 prompt`, `1,240 prompts`. */
export function plural(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** Puts a title such as `Red-Team Scans` into a sentence: `3 red-team scans`, `1 red-team scan`, `1 attack of the scan`. */
export function titleInSentence(title: string, count: number): string {
  const words = title.split(' ').map((word) => (/^[A-Z]{2,}/.test(word) ? word : word.toLowerCase()));
  if (count === 1) {
    const at = nounIn(words);
    words[at] = singular(words[at] ?? '');
  }
  return words.join(' ');
}

/**
 * Finds the counted noun, such as `errors` in `errors of the scan`, `devices` in `devices created`, `channels` in
 * `network channels`.
 */
function nounIn(words: readonly string[]): number {
  const end = words.findIndex((word) => /^(?:of|by|in)$/.test(word));
  const head = end < 0 ? words : words.slice(0, end);
  const fromEnd = [...head].reverse().findIndex((word) => /[^s]s$/.test(word));
  return fromEnd < 0 ? words.length - 1 : head.length - 1 - fromEnd;
}

function singular(word: string): string {
  if (/ies$/.test(word)) return word.replace(/ies$/, 'y');
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

/** Writes a list of numbers as ranges, and keeps the order and repetitions of the numbers. */
export function rangesOf(numbers: readonly number[]): string {
  const follows = (at: number) => numbers[at] === (numbers[at - 1] ?? Number.NaN) + 1;
  return numbers
    .map((number, at) => (follows(at + 1) ? (follows(at) ? '' : `${number}-`) : `${number} `))
    .join('')
    .trim();
}

/** Parses the text that {@link rangesOf} writes. */
export function numbersIn(ranges: string): number[] {
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
