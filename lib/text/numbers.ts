/** Formats a whole number as `1,240`, because the platform's engine has no `Intl`. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Rounds to two decimals, or to as many more as keep a number on its side of a limit. */
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
