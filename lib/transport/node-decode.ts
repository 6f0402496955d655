/** Unpacks an answer that was compressed on its way. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

const NO_BODY = [204, 304];

/** Was it compressed, perhaps in a way that nobody here knows? */
export function isPacked({ headers, statusCode = 0 }: IncomingMessage): boolean {
  return headers['content-encoding'] !== undefined && !NO_BODY.includes(statusCode);
}

/** @returns the bytes as the service meant them; what ends them too early is an error of this stream */
export async function unpacked(answer: IncomingMessage): Promise<Readable> {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase();
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib');
  const unpack = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress };
  const name = Object.keys(unpack).find((known): known is keyof typeof unpack => known === encoding);
  return name === undefined ? answer : answer.pipe(unpack[name]());
}
