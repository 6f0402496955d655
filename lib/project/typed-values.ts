/** Reads flags and numbers as they are typed or printed. */

/** Reads a flag as it is typed or printed. */
export function flagNamed(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'true' || word === 'yes') return true;
  return word === 'false' || word === 'no' || word === '-' ? false : undefined;
}

/** Reads a number, or a rate in percent. */
export function numberIn(typed: string): number | undefined {
  const match = /^\s*(-?\d+(?:\.\d+)?) ?%?\s*$/.exec(typed);
  return match === null ? undefined : Number(match[1]);
}
