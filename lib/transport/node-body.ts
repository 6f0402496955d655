/** Reads the body of an answer as text, and stops at a limit: a small compressed body may be a huge one. */
import { ResponseError } from '../errors.ts';

/**
 * @param maxBytes the limit, in bytes after decompression
 * @throws ResponseError above the limit; the connection is given up
 */
export async function readText(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  host: string,
): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts.join('') + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => undefined);
      throw new ResponseError(`The answer of ${host} is larger than the limit of ${size(maxBytes)}.`, {
        hint: 'Ask for less at once, with limit or a filter.',
      });
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
}

function size(bytes: number): string {
  return bytes >= 1_000_000 ? `${bytes / 1_000_000} MB` : `${bytes} bytes`;
}
