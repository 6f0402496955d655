/** Formats a whole number as `1,240`, because the platform's engine has no `Intl`. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a number with its noun: `1 prompt`, `1,240 prompts`. */
export function plural(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`;
}
