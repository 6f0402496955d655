/** Reads lines from a client, and skips lines that are too long: one long message must not end a connection. */
import { Transform, type TransformCallback } from 'node:stream';
import { IdScan } from './request-id.ts';

/** Maximum size of a message, in bytes. */
export const MAX_MESSAGE_BYTES = 10_000_000;

const LINE_FEED = 0x0a;

/**
 * Passes on whole lines.
 * @param accepts reports whether a line is passed on
 * @param onTooLong called at the end of a skipped line, with the id of its request; null if it was not found
 */
export class BoundedLines extends Transform {
  #chunks: Buffer[] = [];
  #length = 0;
  /** Reads the line that is being skipped. */
  #scan: IdScan | undefined;
  readonly #onTooLong: (id: string | number | null) => void;
  readonly #accepts: (line: Buffer) => boolean;
  readonly #limit: number;

  constructor(
    onTooLong: (id: string | number | null) => void,
    accepts: (line: Buffer) => boolean,
    limit = MAX_MESSAGE_BYTES,
  ) {
    super();
    this.#onTooLong = onTooLong;
    this.#accepts = accepts;
    this.#limit = limit;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      this.#add(chunk.subarray(from, at + 1), at - from);
      this.#endLine();
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    if (rest.length > 0) this.#add(rest, rest.length);
    done();
  }

  /** Ignores a last line without an end, but answers it if it is too long. */
  override _flush(done: TransformCallback): void {
    if (this.#scan !== undefined) this.#endLine();
    done();
  }

  /** @param length without the line end */
  #add(part: Buffer, length: number): void {
    this.#chunks.push(part);
    this.#length += length;
    if (this.#length <= this.#limit) return;
    this.#scan ??= new IdScan();
    for (const each of this.#chunks) this.#scan.read(each);
    this.#chunks = [];
  }

  #endLine(): void {
    if (this.#scan === undefined) {
      const line = Buffer.concat(this.#chunks);
      if (this.#accepts(line)) this.push(line);
    } else {
      this.#onTooLong(this.#scan.id());
    }
    this.#chunks = [];
    this.#length = 0;
    this.#scan = undefined;
  }
}
