/** Writes the body of a request: plain text, or a file as multipart, streamed from disk. */
import type { ClientRequest } from 'node:http';
import { UsageError } from '../../core/errors.ts';
import type { HttpRequest, Upload } from '../../core/ports.ts';
import { multipartFrame } from '../multipart.ts';

export interface Content {
  /** Added to the headers of the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Writes the body and ends the request. @throws if the request is destroyed first */
  write(sent: ClientRequest): Promise<void>;
}

/** Returns the content of a request. @throws UsageError for a file that cannot be read */
export async function contentOf({ body, upload, onSent }: HttpRequest): Promise<Content> {
  if (upload !== undefined) return fileContent(upload, onSent);
  return {
    headers: {},
    write: async (sent) => {
      sent.end(body);
    },
  };
}

async function fileContent(upload: Upload, onSent: HttpRequest['onSent']): Promise<Content> {
  const [{ stat }, { randomUUID }] = await Promise.all([import('node:fs/promises'), import('node:crypto')]);
  const { entry, name } = upload.file;
  const { size } = await stat(entry).catch(() => {
    throw new UsageError(`The file ${name} can no longer be read.`);
  });
  // Random, because the file is not searched for the boundary.
  const { contentType, head, tail } = multipartFrame(upload, `----aisec-part-${randomUUID()}`);
  const length = Buffer.byteLength(head) + size + Buffer.byteLength(tail);
  return {
    headers: { 'content-type': contentType, 'content-length': String(length) },
    write: async (sent) => {
      const { pipeline } = await import('node:stream/promises');
      await pipeline(async function* () {
        yield head;
        yield* bytesOf(upload, size, onSent);
        yield tail;
      }, sent);
    },
  };
}

async function* bytesOf({ file }: Upload, size: number, onSent: HttpRequest['onSent']): AsyncGenerator<Buffer> {
  if (size === 0) return;
  const { createReadStream } = await import('node:fs');
  let bytes = 0;
  // Limited to the announced length, because the file may grow meanwhile.
  const chunks: AsyncIterable<Buffer> = createReadStream(file.entry, { end: size - 1 });
  for await (const chunk of chunks) {
    bytes += chunk.length;
    yield chunk;
    // The connection asks for the next chunk once it has taken this one.
    onSent?.(bytes);
  }
  if (bytes < size) throw new UsageError(`The file ${file.name} became shorter while it was being sent.`);
}
