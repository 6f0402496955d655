/** A whole number as people write it: `1,240`. The engine of the platform knows no languages. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A number of things: `1 prompt`, `1,240 prompts`. */
export function plural(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`;
}
