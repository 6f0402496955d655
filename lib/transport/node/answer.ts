/** What came back: its headers, and its body as text, unpacked and up to a limit. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { tooLarge } from '../failures.ts';
import type { Errand } from './errand.ts';

const NO_BODY = [204, 304];

/** They come as a list in which each name stands before its value. */
export function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    const value = rawHeaders[at + 1] ?? '';
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** @throws ResponseError above the limit, which counts what comes out of a compressed body */
export function textOf(answer: IncomingMessage, { limit, host }: Errand): Promise<string> {
  if (!isPacked(answer)) return collected(answer, limit, host);
  // An answer that breaks off says so itself, whatever unpacks it.
  const broken = new Promise<never>((_, reject) => answer.on('error', reject));
  return Promise.race([broken, unpacked(answer).then((body) => collected(body, limit, host))]);
}

/** Was it compressed, in whatever way? */
function isPacked({ headers, statusCode = 0 }: IncomingMessage): boolean {
  return headers['content-encoding'] !== undefined && !NO_BODY.includes(statusCode);
}

/** @returns the bytes as the service meant them; what ends them too early is an error of this stream */
async function unpacked(answer: IncomingMessage): Promise<Readable> {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase();
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib');
  const unpack = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress };
  const name = Object.keys(unpack).find((known): known is keyof typeof unpack => known === encoding);
  return name === undefined ? answer : answer.pipe(unpack[name]());
}

function collected(body: Readable, limit: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    body.on('error', reject);
    body.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > limit) reject(tooLarge(host, limit));
      else pieces.push(piece);
    });
    body.on('end', () => resolve(decoded(pieces)));
  });
}

/** UTF-8 without the mark that some begin it with. */
function decoded(pieces: readonly Buffer[]): string {
  const text = Buffer.concat(pieces).toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
