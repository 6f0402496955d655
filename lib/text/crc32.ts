import { utf8Bytes } from './utf8.ts';

const TABLE: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/**
 * Creates a running CRC-32 as in zip, gzip and PNG (ISO 3309, reflected polynomial 0xEDB88320) over the UTF-8 bytes of
 * successive texts. It detects accidental damage, not forgery.
 */
export function crc32() {
  let value = -1;
  return {
    add: (text: string) => {
      for (const byte of utf8Bytes(text)) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 0xff] ?? 0);
    },
    /** Returns eight hexadecimal digits. */
    digest: () => `0000000${((value ^ -1) >>> 0).toString(16)}`.slice(-8),
  };
}
