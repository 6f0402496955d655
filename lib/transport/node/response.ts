/** Reads a response: its headers, and its body as text, decompressed and up to a limit. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { tooLarge } from '../failures.ts';
import type { RequestContext } from './request-context.ts';

const NO_BODY = [204, 304];

/** Joins the raw list of names and values into an object. */
export function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    const value = rawHeaders[at + 1] ?? '';
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** Reads the whole body. @throws ResponseError above the limit, which counts decompressed bytes */
export function readText(response: IncomingMessage, { limit, host }: RequestContext): Promise<string> {
  if (!isCompressed(response)) return collect(response, limit, host);
  // A connection that breaks reports it on the response, not on the decompressed stream.
  const broken = new Promise<never>((_, reject) => response.on('error', reject));
  return Promise.race([broken, decompressed(response).then((body) => collect(body, limit, host))]);
}

function isCompressed({ headers, statusCode = 0 }: IncomingMessage): boolean {
  return headers['content-encoding'] !== undefined && !NO_BODY.includes(statusCode);
}

/** Decompresses a body; an unknown encoding is passed through. */
async function decompressed(response: IncomingMessage): Promise<Readable> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib');
  const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress };
  const name = Object.keys(decoders).find((candidate): candidate is keyof typeof decoders => candidate === encoding);
  return name === undefined ? response : response.pipe(decoders[name]());
}

/** Collects UTF-8, whose byte order mark is dropped. */
async function collect(body: AsyncIterable<Buffer>, limit: number, host: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge(host, limit);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
