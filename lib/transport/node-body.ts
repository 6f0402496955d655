/** The body of an answer, piece by piece; as text only up to a limit, because a small compressed body may be a huge one. */
import { tooLarge } from './failures.ts';

export interface Body {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Ends it: whoever reads it, now or later, is told so by an error, and never that it is complete. */
  stop(): void;
}

/**
 * Takes hold of a body, which must be done as soon as there is one. The fetch of Node closes a body that nobody holds when its
 * answer is collected from memory, as if it were empty; and one that is aborted after it arrived it never closes at all.
 */
export function openBody(stream: ReadableStream<Uint8Array>): Body {
  const reader = stream.getReader();
  let isStopped = false;
  let fail: (reason: Error) => void = () => undefined;
  const giveUp = async () => {
    await reader.cancel().catch(() => undefined);
  };
  const next = () =>
    new Promise<IteratorResult<Uint8Array, undefined>>((resolve, reject) => {
      if (isStopped) throw stopped();
      fail = reject;
      reader
        .read()
        .then(({ done, value }) => resolve(done ? { done, value: undefined } : { done: false, value }), reject);
    });
  const end = async () => {
    await giveUp();
    return { done: true as const, value: undefined };
  };
  return {
    pieces: { [Symbol.asyncIterator]: () => ({ next, return: end }) },
    stop: () => {
      isStopped = true;
      fail(stopped());
      void giveUp();
    },
  };
}

function stopped(): Error {
  return new Error('the body was given up');
}

/**
 * @param maxBytes the limit, in bytes after decompression
 * @throws ResponseError above the limit; the connection is given up
 */
export async function readText(pieces: AsyncIterable<Uint8Array>, maxBytes: number, host: string): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw tooLarge(host, maxBytes);
    parts.push(decoder.decode(piece, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}
