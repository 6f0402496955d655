/** Splits lines that a person is still typing. */

/** Splits at white space outside quotes; a quote opens at the start of a value. */
export function wordsOf(line: string): string[] {
  const words =
    line.match(/(?:[^\s"'`=]*=)?(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|'(?:[^'\\]|\\.)*(?:'|\\?$)|`[^`]*(?:`|$))|\S+/g) ?? [];
  return /\s$/.test(line) && !isOpen(words.at(-1) ?? '') ? [...words, ''] : words.length === 0 ? [''] : [...words];
}

function isOpen(word: string): boolean {
  const [, quote = '', rest = ''] = /^(?:[^\s"'`=]*=)?(["'`])([\s\S]*)$/.exec(word) ?? [];
  return quote !== '' && !rest.endsWith(quote);
}
