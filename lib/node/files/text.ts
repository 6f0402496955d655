import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { AisecError, UsageError } from '../../core/errors.ts';
import type { TextReader } from '../../core/ports.ts';
import { stopped } from '../../core/stop.ts';
import { codeText } from '../system-error.ts';
import { TextDecoding } from './decode-text.ts';

/** Reads the text of a file of this program in chunks. */
export function readText(path: string): TextReader {
  const stream = createReadStream(path, { encoding: 'utf8' });
  const pieces: AsyncIterator<string, undefined> = stream[Symbol.asyncIterator]();
  return {
    next: async () => {
      try {
        const piece: IteratorResult<string, undefined> = await pieces.next();
        return piece.value;
      } catch (thrown) {
        throw new UsageError(`The file ${path} cannot be read${codeText(thrown)}.`);
      }
    },
    close: async () => void stream.destroy(),
  };
}

/**
 * Reads the text of a user's file or of standard input in chunks; it is UTF-8, or UTF-16 with a byte-order mark.
 * @param what names the source in messages, such as `The file a.csv`
 */
export function decodedText(stream: Readable, what: string, signal?: AbortSignal): TextReader {
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
        if (signal?.aborted === true) throw stopped();
        if (thrown instanceof AisecError) throw thrown;
        throw new UsageError(`${what} cannot be read${codeText(thrown)}.`);
      }
    },
    close: async () => void stream.destroy(),
  };
}
