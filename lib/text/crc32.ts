/**
 * CRC-32 as in zip, gzip and PNG (ISO 3309, reflected polynomial 0xEDB88320) over the UTF-8 bytes of successive texts.
 * It detects accidental damage, not forgery.
 */
export interface Crc32 {
  add(text: string): void;
  /** Returns eight hexadecimal digits. */
  digest(): string;
}

const TABLE: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Creates a running checksum. */
export function crc32(): Crc32 {
  let value = -1;
  const addByte = (byte: number) => {
    value = (value >>> 8) ^ (TABLE[(value ^ byte) & 0xff] ?? 0);
  };

  return {
    add: (text) => {
      for (let at = 0; at < text.length; at += 1) {
        const unit = text.charCodeAt(at);
        if (unit < 0x80) {
          addByte(unit);
          continue;
        }
        const code = codePoint(text, at);
        if (code > 0xffff) at += 1;
        for (const byte of bytesOf(code)) addByte(byte);
      }
    },
    digest: () => `0000000${((value ^ -1) >>> 0).toString(16)}`.slice(-8),
  };
}

/** Returns the code point at an index; half of a surrogate pair becomes the replacement character, as in UTF-8. */
function codePoint(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first < 0xd800 || first > 0xdfff) return first;
  const second = text.charCodeAt(at + 1);
  const isPair = first < 0xdc00 && second >= 0xdc00 && second <= 0xdfff;
  return isPair ? (first - 0xd800) * 0x400 + (second - 0xdc00) + 0x10000 : 0xfffd;
}

function bytesOf(code: number): number[] {
  const last = 0x80 | (code & 0x3f);
  if (code < 0x800) return [0xc0 | (code >> 6), last];
  const middle = 0x80 | ((code >> 6) & 0x3f);
  if (code < 0x10000) return [0xe0 | (code >> 12), middle, last];
  return [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f), middle, last];
}
