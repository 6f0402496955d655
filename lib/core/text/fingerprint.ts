import { utf8Bytes } from './utf8.ts';

/** Returns a short hash of strings, not for security: two FNV-1a hashes, as 16 hexadecimal digits. */
export function fingerprint(parts: readonly string[]): string {
  const text = JSON.stringify(parts);
  return [0x811c9dc5, 0x1000193].map((seed) => fnv(text, seed)).join('');
}

// Looked up once: in a sandbox, looking up a global for every character takes longer than the hash itself.
const { imul } = Math;

function fnv(text: string, seed: number): string {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = imul(hash ^ text.charCodeAt(at), 0x1000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

const TABLE: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: the one-byte characters; a group captures the others
const NOT_ASCII = /([^\x00-\x7f]+)/;

/**
 * Creates a running CRC-32 as in zip, gzip and PNG (ISO 3309, reflected polynomial 0xEDB88320) over the UTF-8 bytes of
 * successive strings. It detects accidental damage, not forgery.
 */
export function crc32() {
  let value = -1;
  return {
    add: (text: string) => {
      // Plain loops, and no list of bytes for ASCII, because the embedded engine is slow at each step.
      let sum = value;
      for (const part of text.split(NOT_ASCII)) {
        const bytes = part.charCodeAt(0) < 0x80 ? undefined : utf8Bytes(part);
        const { length } = bytes ?? part;
        for (let at = 0; at < length; at += 1) {
          const byte = bytes === undefined ? part.charCodeAt(at) : bytes[at];
          sum = (sum >>> 8) ^ (TABLE[(sum ^ (byte as number)) & 0xff] as number);
        }
      }
      value = sum;
    },
    /** Returns the checksum as eight hexadecimal digits. */
    digest: () => `0000000${((value ^ -1) >>> 0).toString(16)}`.slice(-8),
  };
}
