/** What a request sends: text as it is, or a file as a multipart body that is read from disk as the connection takes it. */
import type { ClientRequest } from 'node:http';
import { UsageError } from '../../errors.ts';
import type { HttpRequest, Upload } from '../../ports.ts';
import { multipartFrame } from '../multipart.ts';

export interface Content {
  /** Beside those of the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Writes all of it and ends the request; stops early where the request has ended. */
  write(sent: ClientRequest): Promise<void>;
}

/** @throws UsageError for a file that cannot be read */
export async function contentOf({ body, upload }: HttpRequest): Promise<Content> {
  if (upload !== undefined) return fileContent(upload);
  return {
    headers: {},
    write: async (sent) => {
      sent.end(body);
    },
  };
}

async function fileContent(upload: Upload): Promise<Content> {
  const [{ stat }, { randomUUID }] = await Promise.all([import('node:fs/promises'), import('node:crypto')]);
  const { entry, name } = upload.file;
  const { size } = await stat(entry).catch(() => {
    throw new UsageError(`The file ${name} cannot be read any more.`);
  });
  // Drawn, because the file is not read before it is sent.
  const { contentType, head, tail } = multipartFrame(upload, `----aisec-part-${randomUUID()}`);
  const length = Buffer.byteLength(head) + size + Buffer.byteLength(tail);
  return {
    headers: { 'content-type': contentType, 'content-length': String(length) },
    write: async (sent) => {
      sent.write(head);
      await pour(upload, size, sent);
      if (!sent.destroyed) sent.end(tail);
    },
  };
}

async function pour({ file }: Upload, size: number, sent: ClientRequest): Promise<void> {
  if (size === 0) return;
  const { createReadStream } = await import('node:fs');
  let bytes = 0;
  // No more than was announced, even where the file grows meanwhile.
  const pieces: AsyncIterable<Buffer> = createReadStream(file.entry, { end: size - 1 });
  for await (const piece of pieces) {
    if (sent.destroyed) return;
    bytes += piece.length;
    if (!sent.write(piece)) await drained(sent);
  }
  if (bytes < size) throw new UsageError(`The file ${file.name} became shorter while it was sent.`);
}

function drained(sent: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      sent.off('drain', done);
      sent.off('close', done);
      resolve();
    };
    sent.once('drain', done);
    sent.once('close', done);
  });
}
