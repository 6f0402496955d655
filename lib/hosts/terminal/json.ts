const NOT_PLAIN = /[^\n -~]/;
// JSON leaves these as they are; written out, they neither act on a terminal nor hide from a reader.
const UNESCAPED = /[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/gu;

/**
 * JSON text that is safe to look at and says exactly what the value says.
 * @param indented over several lines, for people
 */
export function jsonText(value: unknown, indented = false): string {
  const text = JSON.stringify(value ?? null, undefined, indented ? 2 : undefined);
  return NOT_PLAIN.test(text) ? text.replace(UNESCAPED, escaped) : text;
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
