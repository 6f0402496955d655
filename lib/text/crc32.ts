import { utf8Bytes } from './utf8.ts';

const TABLE: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that are one byte; a group keeps the others
const NOT_ASCII = /([^\x00-\x7f]+)/;

/**
 * Creates a running CRC-32 as in zip, gzip and PNG (ISO 3309, reflected polynomial 0xEDB88320) over the UTF-8 bytes of
 * successive texts. It detects accidental damage, not forgery.
 */
export function crc32() {
  let value = -1;
  return {
    add: (text: string) => {
      // Plain loops, and no list of bytes for ASCII: the embedded engine takes long for each step.
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
    /** Returns eight hexadecimal digits. */
    digest: () => `0000000${((value ^ -1) >>> 0).toString(16)}`.slice(-8),
  };
}
