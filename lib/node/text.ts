import { createReadStream } from 'node:fs';
import { UsageError } from '../errors.ts';
import type { TextReader } from '../ports.ts';
import { codeText } from './system-error.ts';

/** Reads the text of a file in chunks. */
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
