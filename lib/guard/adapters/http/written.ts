/** Writes JSON that was read with the digits of its integers. */

/** A text that has the digits of an integer and nothing else. */
const DIGITS = /(?<!\\)"(-?[1-9]\d{15,})"(?!:)/g;

/**
 * Writes a value: as the text that it was read from, where nothing was changed. An integer that a number cannot hold was read as
 * the text of its digits, and is an integer again.
 */
export function writtenAs(original: string, before: unknown, after: unknown): string {
  const json = JSON.stringify(after);
  if (json === JSON.stringify(before)) return original;
  const isNumber = (text: string, digits: string) => original.includes(digits) && !original.includes(text);
  return json.replace(DIGITS, (text, digits: string) => (isNumber(text, digits) ? digits : text));
}
