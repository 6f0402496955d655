/**
 * Decodes text from users: UTF-8, or UTF-16 with a byte-order mark. Rejects invalid bytes, because replacing them would
 * scan a different text.
 */
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { AisecError, UsageError } from '../../core/errors.ts';
import type { TextReader } from '../../core/ports.ts';
import { grouped } from '../../core/text/numbers.ts';
import { codeText } from '../system/system-error.ts';

type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE';

/** Number of bytes that determine the encoding. */
const HEAD_LENGTH = 4;
/** First bytes of a byte-order mark, and of UTF-16 without a mark. */
const FIRST_OF_MARKS: readonly (number | undefined)[] = [0x00, 0xef, 0xfe, 0xff];

export class TextDecoding {
  private readonly what: string;
  private encoding: Encoding | undefined;
  private rest: Buffer = Buffer.alloc(0);
  private offset = 0;
  private line = 1;
  private readonly keepsMark: boolean;

  /**
   * @param what names the source in messages, such as `The file a.csv`
   * @param options `keepsMark`: keep a UTF-8 byte-order mark as part of the text, which then passes byte for byte
   */
  constructor(what: string, { keepsMark = false }: { readonly keepsMark?: boolean } = {}) {
    this.what = what;
    this.keepsMark = keepsMark;
  }

  /** Decodes the complete characters of a chunk. @throws UsageError with the position of the byte */
  push(bytes: Uint8Array): string {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const encoding = this.encoding !== undefined || isDecisive(this.rest) ? this.detected() : undefined;
    const text = encoding === undefined ? '' : this.take(this.rest.length - incompleteBytes(this.rest, encoding));
    // Copy, because the caller may reuse the memory.
    this.rest = Buffer.from(this.rest);
    return text;
  }

  /** Ends the text. @throws UsageError for an incomplete character */
  end(): string {
    this.detected();
    return this.take(this.rest.length);
  }

  private detected(): Encoding {
    if (this.encoding !== undefined) return this.encoding;
    const head = this.rest.subarray(0, HEAD_LENGTH).toString('hex');
    const isUtf32 = head === 'fffe0000' || head === '0000feff';
    const encoding = head.startsWith('fffe') ? 'UTF-16LE' : head.startsWith('feff') ? 'UTF-16BE' : 'UTF-8';
    if (isUtf32) this.refuse(0, 'begins UTF-32');
    if (encoding === 'UTF-8' && /^(?:00|..00)/.test(head)) this.refuse(0, 'begins UTF-16 without a byte-order mark');
    const mark = encoding !== 'UTF-8' ? 2 : head.startsWith('efbbbf') && !this.keepsMark ? 3 : 0;
    this.encoding = encoding;
    this.rest = this.rest.subarray(mark);
    this.offset += mark;
    return encoding;
  }

  private take(length: number): string {
    const [bytes, from] = [this.rest.subarray(0, length), this.offset];
    this.rest = this.rest.subarray(length);
    this.offset += length;
    const { text, invalidAt } =
      this.encoding === 'UTF-8' ? fromUtf8(bytes) : fromUtf16(bytes, this.encoding === 'UTF-16BE');
    this.line += lineFeeds(text);
    return invalidAt === undefined ? text : this.refuse(from + invalidAt, 'cannot be read');
  }

  private refuse(at: number, why: string): never {
    const place = `byte ${grouped(at + 1)}, in line ${grouped(this.line)}, ${why}`;
    throw new UsageError(`${this.what} is not UTF-8 text: ${place}.`, {
      hint: 'Save it as UTF-8, or as UTF-16 with a byte-order mark.',
    });
  }
}

/** Decodes a whole text. @throws UsageError with the position of the byte that cannot be read */
export function decodeText(bytes: Uint8Array, what: string): string {
  const decoding = new TextDecoding(what);
  return decoding.push(bytes) + decoding.end();
}

/**
 * Reads text in UTF-8, or in UTF-16 with a byte-order mark, from a user's file or standard input, in chunks.
 * @param what names the source in messages, such as `The file a.csv`
 */
export function decodedText(stream: Readable, what: string): TextReader {
  const decoding = new TextDecoding(what);
  const chunks: AsyncIterator<Uint8Array | string, undefined> = stream[Symbol.asyncIterator]();
  let ended = false;
  const read = async (): Promise<string> => {
    const { value } = await chunks.next();
    ended = value === undefined;
    return value === undefined ? decoding.end() : decoding.push(typeof value === 'string' ? Buffer.from(value) : value);
  };
  return {
    next: async () => {
      try {
        let piece = '';
        while (piece === '' && !ended) piece = await read();
        return piece === '' ? undefined : piece;
      } catch (thrown) {
        if (thrown instanceof AisecError) throw thrown;
        throw new UsageError(`${what} cannot be read${codeText(thrown)}.`);
      }
    },
    close: async () => void stream.destroy(),
  };
}

/** Reports whether these bytes determine the encoding, so that a slow writer's short first line need not wait for more. */
function isDecisive(bytes: Uint8Array): boolean {
  const [first, second = 0] = bytes;
  return bytes.length >= HEAD_LENGTH || (second !== 0 && !FIRST_OF_MARKS.includes(first));
}

/** @returns the text before the first invalid byte, if there is one */
function fromUtf8(bytes: Buffer): { text: string; invalidAt?: number } {
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { text };
  // When encoded again, the text has a replacement character instead of the first malformed sequence.
  const written = Buffer.from(text);
  let at = written.findIndex((byte, index) => byte !== bytes[index]);
  while (isContinuation(written[at])) at -= 1;
  return { text: written.toString('utf8', 0, at), invalidAt: at };
}

/** Returns the length of the sequence that starts with a byte. */
function lengthOf(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

function isContinuation(byte: number | undefined): boolean {
  return ((byte ?? 0) & 0xc0) === 0x80;
}

/** Decodes UTF-16 without its mark. @returns the text before the first lone surrogate or incomplete unit */
function fromUtf16(bytes: Buffer, isBigEndian: boolean): { text: string; invalidAt?: number } {
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 2));
  const text = (isBigEndian ? Buffer.from(whole).swap16() : whole).toString('utf16le');
  const half = text.search(/\p{Surrogate}/u);
  if (half >= 0) return { text: text.slice(0, half), invalidAt: half * 2 };
  return whole.length === bytes.length ? { text } : { text, invalidAt: whole.length };
}

/** Returns how many bytes at the end belong to a character that continues in the next chunk. */
function incompleteBytes(bytes: Buffer, encoding: Encoding): number {
  if (encoding !== 'UTF-8') {
    const odd = bytes.length % 2;
    const high = bytes[bytes.length - odd - (encoding === 'UTF-16LE' ? 1 : 2)] ?? 0;
    return odd + ((high & 0xfc) === 0xd8 ? 2 : 0);
  }
  for (let back = 1; back <= 3; back += 1) {
    const byte = bytes[bytes.length - back];
    if (!isContinuation(byte)) return lengthOf(byte ?? 0) > back ? back : 0;
  }
  return 0;
}

function lineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
