import { utf8Bytes } from './utf8.ts';

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
