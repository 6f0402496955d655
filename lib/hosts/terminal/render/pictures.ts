/** Pictures of numbers that fit in a line of text. */

const STEPS = '▁▂▃▄▅▆▇█';

/** Draws numbers from 0 to 100 as one character each; an unknown number is a dot. */
export function sparkline(values: readonly (number | undefined)[]): string {
  return values.map((value) => (value === undefined ? '·' : stepOf(value))).join('');
}

function stepOf(value: number): string {
  const at = Math.floor((Math.min(100, Math.max(0, value)) / 100) * STEPS.length);
  return STEPS.charAt(Math.min(at, STEPS.length - 1));
}
