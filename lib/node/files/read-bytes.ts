/** Reads files that users name, including named pipes, in chunks; a signal can end the reading. */
import { constants, createReadStream, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { stopped } from '../../core/stop.ts';
import { codeOf } from '../system/system-error.ts';

export interface ReadOptions {
  /** Ends the reading with a CancelledError. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum number of bytes. */
  readonly maxBytes?: number;
}

/** A file is larger than the maximum. */
export class TooLargeError extends Error {}

/** Opens a file. @throws the system's error if it cannot be read */
export async function openBytes(path: string, signal?: AbortSignal): Promise<Readable> {
  const stats = await stat(path);
  if (stats.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
  const stream = stats.isFIFO() ? await openPipe(path) : createReadStream(path);
  return signal === undefined ? stream : addAbortSignal(signal, stream);
}

/**
 * Opens a named pipe without waiting for a writer: a blocked `open` occupies a pool thread that no signal can end,
 * which keeps the process alive.
 */
async function openPipe(path: string): Promise<Readable> {
  const { Socket } = await import('node:net');
  // Not a FileHandle, because it would close the descriptor a second time when garbage-collected.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/**
 * Reads a stream to its end.
 * @throws TooLargeError, CancelledError after the signal, or the system's error
 */
export async function readStream(stream: Readable, { signal, maxBytes = Infinity }: ReadOptions): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const pieces: AsyncIterable<Buffer | string> = stream;
    for await (const piece of pieces) {
      const chunk = Buffer.from(piece as Buffer);
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) throw new TooLargeError();
    }
  } catch (thrown) {
    throw signal?.aborted === true ? stopped() : thrown;
  }
  return Buffer.concat(chunks);
}

/** Reads a whole file. @throws as `readStream` does */
export async function readBytes(path: string, options: ReadOptions = {}): Promise<Buffer> {
  if (options.signal?.aborted === true) throw stopped();
  return readStream(await openBytes(path, options.signal), options);
}

/** Describes why a file cannot be read, as the end of a sentence. */
export function whyUnreadable(thrown: unknown): string {
  const code = codeOf(thrown) ?? 'unknown reason';
  if (code === 'EISDIR') return 'is a directory';
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be read (${code})`;
}
