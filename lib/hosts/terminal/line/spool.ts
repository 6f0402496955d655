/** Copies standard input to a file that only this user can read. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { addAbortSignal, type Readable } from 'node:stream';
import { AisecError, UsageError } from '../../../core/errors.ts';
import type { FileEntry, TextReader } from '../../../core/ports.ts';
import { stopped } from '../../../core/stop.ts';
import { OWNER_ONLY } from '../../../node/files/commit-file.ts';
import { decodedText } from '../../../node/files/decode-text.ts';
import { removeStale, unfinishedPath } from '../../../node/files/unfinished.ts';
import { cannotWrite } from '../../../node/files/writable.ts';
import { codeText } from '../../../node/system/system-error.ts';

/** Name in messages and uploads. */
const NAME = 'stdin';

/**
 * Copies a stream to its end. A later run removes the copy of a killed process.
 * @throws CancelledError after the signal, UsageError if it cannot be read, ConfigurationError if the disk is full
 */
export async function spool(stream: Readable, signal: AbortSignal | undefined): Promise<FileEntry> {
  const directory = tmpdir();
  await removeStale(directory);
  const path = unfinishedPath(directory);
  const file = await saving(directory, () => open(path, 'wx', OWNER_ONLY));
  try {
    const { size, digest } = await copy(stream, (chunk) => saving(directory, () => file.writeFile(chunk)), signal);
    await saving(directory, () => file.close());
    return { entry: path, name: NAME, size, identity: `${NAME} ${digest}` };
  } catch (thrown) {
    await abandon(file, path);
    throw thrown;
  }
}

/** Reads the copy as text. */
export function readSpooled(path: string): TextReader {
  return decodedText(createReadStream(path), 'Standard input');
}

export function removeSpooled(path: string): Promise<void> {
  return rm(path, { force: true });
}

async function copy(stream: Readable, write: (chunk: Buffer) => Promise<void>, signal: AbortSignal | undefined) {
  const hash = createHash('sha256');
  let size = 0;
  try {
    const pieces: AsyncIterable<Buffer | string> = signal === undefined ? stream : addAbortSignal(signal, stream);
    for await (const piece of pieces) {
      const chunk = Buffer.from(piece as Buffer);
      hash.update(chunk);
      size += chunk.length;
      await write(chunk);
    }
  } catch (thrown) {
    if (signal?.aborted === true) throw stopped();
    if (thrown instanceof AisecError) throw thrown;
    throw new UsageError(`Standard input cannot be read${codeText(thrown)}.`);
  }
  return { size, digest: hash.digest('hex') };
}

async function saving<Value>(directory: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    throw cannotWrite(
      `Standard input cannot be saved in ${directory}`,
      thrown,
      `Choose another directory with ${process.platform === 'win32' ? 'TEMP' : 'TMPDIR'}.`,
    );
  }
}

async function abandon(file: FileHandle, path: string): Promise<void> {
  await file.close().catch(() => undefined);
  await removeSpooled(path);
}
