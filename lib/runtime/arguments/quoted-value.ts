/** Writes values into lines: the reverse of the lexer. */

/** What the lexer reads as it stands. */
const PLAIN = /^[^\s"'`\\]+$/;

/**
 * Quotes a value if a line needs that. References in it stay references, and backslashes before them keep their
 * meaning.
 */
export function quotedValue(value: string): string {
  if (PLAIN.test(value)) return value;
  // Easier to read than escapes.
  if (/["\\\u2028\u2029]/.test(value) && value.indexOf('`') < 0) return `\`${value}\``;
  return `"${value.replace(/(\\+)(?=\$\{)|["\\]/g, (found, kept?: string) => kept ?? `\\${found}`)}"`;
}
