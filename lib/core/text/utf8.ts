/**
 * Counts the bytes of a text in UTF-8: the service's limits are in bytes, and the embedded engine has no encoder.
 * Half of a surrogate pair counts as the replacement character, three bytes.
 */
export function utf8Length(text: string): number {
  let bytes = text.length;
  // The embedded engine is slow at each character, so only characters of more than one byte are counted one by one.
  for (const run of text.match(NOT_ASCII) ?? []) {
    for (let at = 0; at < run.length; at += 1) {
      const code = run.charCodeAt(at);
      const pair = code >= 0xd800 && code <= 0xdbff && (run.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
      if (pair) at += 1;
      bytes += pair || code >= 0x800 ? 2 : 1;
    }
  }
  return bytes;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that take one byte
const NOT_ASCII = /[^\x00-\x7f]+/g;

/** Encodes a text as UTF-8. */
export function utf8Bytes(text: string): number[] {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = codePoint(text, at);
    const last = 0x80 | (code & 0x3f);
    const middle = 0x80 | ((code >> 6) & 0x3f);
    if (code > 0xffff) at += 1;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), last);
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), middle, last);
    else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f), middle, last);
  }
  return bytes;
}

/** Returns the code point at an index; half of a surrogate pair becomes the replacement character. */
function codePoint(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first < 0xd800 || first > 0xdfff) return first;
  const second = text.charCodeAt(at + 1);
  const isPair = first < 0xdc00 && second >= 0xdc00 && second <= 0xdfff;
  return isPair ? (first - 0xd800) * 0x400 + (second - 0xdc00) + 0x10000 : 0xfffd;
}

const BOM = '\ufeff';

/** Decodes UTF-8. @returns undefined if the bytes are missing or not UTF-8 */
export function utf8Text(bytes: ArrayLike<unknown>): string | undefined {
  let encoded = '';
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = Number(bytes[at]);
    if (!(byte >= 0 && byte <= 255 && byte % 1 === 0)) return undefined;
    encoded += `%${byte < 16 ? '0' : ''}${byte.toString(16)}`;
  }
  try {
    const text = decodeURIComponent(encoded);
    return text.charAt(0) === BOM ? text.slice(1) : text;
  } catch {
    return undefined;
  }
}

/** Percent-encodes a text. Half of a surrogate pair, which would throw, becomes the replacement character. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.replace(PAIR_OR_HALF, (found) => (found.length === 2 ? found : '\ufffd')));
}

const PAIR_OR_HALF = /[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g;

/** Reports whether any string or member name in a value has half of a surrogate pair. */
export function hasHalf(value: unknown): boolean {
  if (typeof value === 'string') {
    return SURROGATE.test(value) && SURROGATE.test(value.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ' '));
  }
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasHalf);
  return Object.keys(value).some(hasHalf) || Object.values(value).some(hasHalf);
}

const SURROGATE = /[\ud800-\udfff]/;

/** Counts characters as a schema does: a surrogate pair counts as one. */
export function characters(text: string): number {
  return text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, '_').length;
}

/** The standard alphabet. */
const BASE64_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Encodes a text as base64 of its UTF-8 bytes, padded: the embedded engine has no encoder. */
export function base64(text: string): string {
  const bytes = utf8Bytes(text);
  const groups: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const letters = [18, 12, 6, 0].map((shift) => BASE64_LETTERS.charAt((bits >> shift) & 63)).join('');
    const left = bytes.length - at;
    groups.push(left >= 3 ? letters : `${letters.slice(0, left + 1)}${left === 1 ? '==' : '='}`);
  }
  return groups.join('');
}
