/** Decodes JSON as its reader will, so that scanner and reader see the same. */

import { isJson, receivedJson } from '../../core/json.ts';
import { parseJsonText } from '../../core/json-text.ts';
import { Unscanned } from '../decisions.ts';

/** Bounds of a content that a service or a tool writes; a scan has room for less. */
const BOUNDS = { length: 20_000_000, values: 1_000_000, forbidden: [], rounds: true };

/**
 * Decodes JSON. An integer that a number cannot hold becomes the text of its digits, so pass the original on.
 * @throws Unscanned `unreadable` where readers may differ: invalid or too deep, a member twice, half of a surrogate pair
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

/** The start of JSON with members, elements or escapes. */
const OPENS = /^\s*["[{]/u;

/** Returns true for a text that is JSON with members, elements or escapes: a reader would decode it. */
export function isEncoded(text: string): boolean {
  return OPENS.test(text) && isJson(text);
}

/** A character in JSON's form, which a reader may decode. */
export const ESCAPE = /\\u[\da-fA-F]{4}/;
const ESCAPES = /\\(?:u([\da-fA-F]{4})|([bfnrt"\\/]))/g;
const SIGNS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** JSON in JSON in JSON. */
const MOST_LAYERS = 4;

/**
 * Returns a text with what its JSON escapes hide, line by line; the text alone if it has none.
 * @throws Unscanned `unreadable` for escapes in more layers
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
