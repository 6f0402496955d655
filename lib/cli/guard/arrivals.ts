/** Reads text as it arrives, and notices when its writer pauses. */
import type { Readable } from 'node:stream';
import { UsageError } from '../../core/errors.ts';
import { TextDecoding } from '../../node/files/decode-text.ts';
import { codeText } from '../../node/system-error.ts';
import { grouped } from '../../text/numbers.ts';

/** A piece of text, or a pause of its writer. */
export type Arrival = { readonly text: string } | 'pause';

const HINT = 'The guard takes UTF-8, or UTF-16 with a byte-order mark. Nothing after this place has passed.';

/**
 * Reads a stream of UTF-8, in which a byte-order mark is text, or of UTF-16 with a mark. A character that is cut by the
 * end of a chunk waits for the rest of it.
 * @param pauseMs after so long without text a pause is yielded, once; 0 for never
 * @throws UsageError for bytes that are not text
 */
export async function* arrivals(stream: Readable, signal: AbortSignal, pauseMs: number): AsyncGenerator<Arrival> {
  const decode = decoding();
  const chunks: AsyncIterator<Uint8Array | string, undefined> = stream[Symbol.asyncIterator]();
  const stop = () => void stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    while (!signal.aborted) {
      const next = chunks.next();
      if (pauseMs > 0 && !(await isSettled(next, pauseMs))) yield 'pause';
      const { value, done } = await next;
      const text = decode(value);
      if (text !== '') yield { text };
      if (done === true) return;
    }
  } catch (thrown) {
    if (signal.aborted) return;
    if (thrown instanceof UsageError) throw thrown;
    throw new UsageError(`Standard input cannot be read${codeText(thrown)}.`);
  } finally {
    signal.removeEventListener('abort', stop);
    // The writer is not read any longer: it ends by itself, as before `head`.
    stream.destroy();
  }
}

/** Waits for work for at most so long. @returns whether it ended */
async function isSettled(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const ended = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a function that decodes chunk after chunk, and undefined as the end. */
function decoding(): (chunk: Uint8Array | string | undefined) => string {
  const decoder = new TextDecoding('Standard input', { keepsMark: true });
  let units = 0;
  return (chunk) => {
    const text = decoded(decoder, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    const zero = text.indexOf('\0');
    if (zero >= 0)
      throw new UsageError(`Standard input is no text: its character ${grouped(units + zero + 1)} is a zero.`, {
        hint: HINT,
      });
    units += text.length;
    return text;
  };
}

function decoded(decoder: TextDecoding, chunk: Uint8Array | undefined): string {
  try {
    return chunk === undefined ? decoder.end() : decoder.push(chunk);
  } catch (thrown) {
    throw thrown instanceof UsageError ? new UsageError(thrown.message, { hint: HINT }) : thrown;
  }
}
