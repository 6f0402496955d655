/**
 * Sends one HTTP request with ky over `fetchOverHttp`, and reads the response. The only importer of ky, which checks
 * the request, calls the fetch function and holds the response; `lib/runtime/api`, which the platform shares, handles
 * retries, time-outs and statuses.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { promisify } from 'node:util';
import ky from 'ky';
import type { HttpRequest, HttpResponse, KeepBytes } from '../../core/ports.ts';
import { tooLarge } from '../../runtime/transport/failures.ts';
import { fileNameIn } from '../../runtime/transport/multipart.ts';
import type { Agents } from './agents.ts';
import { fetchOverHttp, type RequestContext, type RequestHead, requestContent } from './fetch.ts';

const ONCE = { retry: 0, timeout: false, throwHttpErrors: false } as const;
/** A file is stored as it arrives, so it must not be compressed. */
const [TEXT_ENCODINGS, FILE_ENCODINGS] = ['gzip, deflate, br', 'identity'];

/** Sends one request. @throws errors of the connection; `explain` translates them */
export async function sendRequest(
  request: HttpRequest,
  context: RequestContext,
  agents: Agents,
  keep: KeepBytes | undefined,
): Promise<HttpResponse> {
  const { method, url, download } = request;
  // The body bypasses ky, which copies each request.
  const content = await requestContent(request);
  const isFile = download !== undefined;
  const headers = { 'accept-encoding': isFile ? FILE_ENCODINGS : TEXT_ENCODINGS, ...request.headers };
  let message: IncomingMessage | undefined;
  try {
    const fetch = async (head: unknown) => {
      message = await fetchOverHttp(head as RequestHead, content, context, agents);
      return responseOf(message, context, isFile && keep !== undefined);
    };
    const response = await ky(url, { ...ONCE, method, headers, fetch });
    if (message === undefined) throw new Error('ky has not called the fetch function');
    const { statusCode: status = 0, rawHeaders } = message;
    const answer = { status, headers: headersOf(rawHeaders) };
    if (!isFile || keep === undefined || status !== 200) return { ...answer, body: await response.text() };
    const name = fileNameIn(answer.headers['content-disposition']) ?? download;
    const type = answer.headers['content-type'] ?? 'application/octet-stream';
    return { ...answer, body: '', file: await keep(name, type, piecesOf(response, context)) };
  } catch (thrown) {
    message?.destroy();
    throw thrown;
  }
}

/** Creates the response: a file as a stream, anything else with the whole body. */
async function responseOf(message: IncomingMessage, context: RequestContext, isFile: boolean): Promise<Response> {
  const { statusCode: status = 0 } = message;
  // A `Response` accepts no other status, and no body with 204, 205 or 304; the caller receives the original status.
  const init = { status: status >= 200 && status <= 599 && status !== 205 ? status : 599 };
  if (isFile && status === 200) return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>, init);
  const bytes = await readBody(message, context);
  return new Response(bytes.length === 0 ? null : bytes, init);
}

/** Reads a file. A stop fails the read, because the file is incomplete. */
async function* piecesOf({ body }: Response, { ended }: RequestContext): AsyncGenerator<Uint8Array> {
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    ended.throwIfAborted();
    yield piece;
  }
  ended.throwIfAborted();
}

/** Joins the raw list of names and values into an object, which is much faster than reading the headers of a `Response`. */
function headersOf(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? '';
    const value = raw[at + 1] ?? '';
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** Reads the whole body, decompressed. @throws ResponseError above the limit, which counts decompressed bytes */
async function readBody(message: IncomingMessage, { limit, host }: RequestContext): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(host, limit);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const encoding = message.headers['content-encoding'];
  return encoding === undefined || size === 0 ? bytes : decompressed(bytes, encoding, limit, host);
}

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }, done: Done) => void;
type Done = (error: Error | null, result: Buffer) => void;

/** Decompresses a body; an unknown encoding is passed through. */
async function decompressed(bytes: Buffer, encoding: string, limit: number, host: string): Promise<Buffer> {
  const { brotliDecompress, gunzip, inflate, inflateRaw } = await import('node:zlib');
  const decoders = new Map<string, Decoder>([
    ['gzip', gunzip],
    ['x-gzip', gunzip],
    ['deflate', hasZlibHeader(bytes) ? inflate : inflateRaw],
    ['br', brotliDecompress],
  ]);
  const decoder = decoders.get(encoding.trim().toLowerCase());
  if (decoder === undefined) return bytes;
  return promisify(decoder)(bytes, { maxOutputLength: limit }).catch((thrown: unknown) => {
    throw (thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(host, limit) : thrown;
  });
}

/** Detects the zlib header, whose first two bytes are a multiple of 31; some servers send `deflate` without it. */
function hasZlibHeader([method = 0, flags = 0]: Buffer): boolean {
  return method % 16 === 8 && (method * 256 + flags) % 31 === 0;
}
