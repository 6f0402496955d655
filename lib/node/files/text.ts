import type { Readable } from 'node:stream';
import { AisecError, UsageError } from '../../core/errors.ts';
import type { TextReader } from '../../core/ports.ts';
import { codeText } from '../system-error.ts';
import { TextDecoding } from './decode-text.ts';

/**
 * Reads the text of a user's file or of standard input in chunks; it is UTF-8, or UTF-16 with a byte-order mark.
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
