/** Decodes JSON as its reader will, so that the scanner sees the same as the reader. */

import { isJson, receivedJson } from '../../core/json.ts';
import { parseJsonText } from '../../core/json-text.ts';
import { Unscanned } from '../decisions.ts';

/** Size limits for content from a service or a tool; a scan accepts less. */
const BOUNDS = { length: 20_000_000, values: 1_000_000, forbidden: [], rounds: true };

/**
 * Decodes JSON. An integer too large for a number becomes a string of its digits, so pass on the original.
 * @throws Unscanned `unreadable` if readers may disagree: invalid or too deep, a duplicate member, half a surrogate
 * pair
 */
export function decoded(json: string): unknown {
  const value = decodedIf(json);
  if (value === undefined) throw new Unscanned('unreadable');
  return value;
}

/** Decodes JSON in the same way. @returns undefined for any other text */
export function decodedIf(json: string): unknown {
  return 'error' in parseJsonText(json, BOUNDS) ? undefined : receivedJson(json);
}

/** Matches the start of JSON with members, elements or escapes. */
const OPENS = /^\s*["[{]/u;

/** Reports whether a text is JSON with members, elements or escapes, which a reader would decode. */
export function isEncoded(text: string): boolean {
  return OPENS.test(text) && isJson(text);
}

/** A JSON escape, which a reader may decode. */
export const ESCAPE = /\\u[\da-fA-F]{4}/;
const ESCAPES = /\\(?:u([\da-fA-F]{4})|([bfnrt"\\/]))/g;
const SIGNS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** Maximum layers: JSON in JSON in JSON. */
const MOST_LAYERS = 4;

/**
 * Returns a text and, line by line, the text with its JSON escapes decoded; only the text if it has no escapes.
 * @throws Unscanned `unreadable` if escapes are nested too deeply
 */
export function withEscapesRead(text: string): string {
  const forms = [text];
  for (let last = text; forms.length <= MOST_LAYERS || ESCAPE.test(last); ) {
    if (forms.length > MOST_LAYERS) throw new Unscanned('unreadable');
    if (!ESCAPE.test(last) && !OPENS.test(text)) break;
    const next = last.replace(ESCAPES, (_, code: string | undefined, sign: string) =>
      code === undefined ? (SIGNS[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
    );
    if (next === last) break;
    forms.push(next);
    last = next;
  }
  return forms.join('\n');
}
