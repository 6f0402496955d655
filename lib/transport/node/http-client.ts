/** Sends one HTTP request with ky over `fetchOverHttp`, and reads the response. The only importer of ky. */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import ky from 'ky';
import type { HttpRequest, HttpResponse, KeepBytes } from '../../core/ports.ts';
import { tooLarge } from '../failures.ts';
import { fileNameIn } from '../file-name.ts';
import type { Agents } from './agents.ts';
import { contentOf } from './content.ts';
import { fetchOverHttp, type RequestContext, type RequestHead } from './fetch.ts';

// Retries, time-outs and statuses are handled by `lib/api`, which the platform shares.
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
  const content = await contentOf(request);
  const headers = {
    'accept-encoding': download === undefined ? TEXT_ENCODINGS : FILE_ENCODINGS,
    ...request.headers,
  };
  let response: IncomingMessage | undefined;
  try {
    // Bodies bypass ky: it copies each request, and a web stream for each response costs more than all the rest.
    const fetch = async (head: unknown) => {
      response = await fetchOverHttp(head as RequestHead, content, context, agents);
      return new Response(null, { status: statusFor(response) });
    };
    await ky(url, { ...ONCE, method, headers, fetch });
    if (response === undefined) throw new Error('there is no response');
    return await readResponse(response, request, context, keep);
  } catch (thrown) {
    response?.destroy();
    throw thrown;
  }
}

/** Clamps the status to the range of `Response`; the caller receives the original status. */
function statusFor({ statusCode = 0 }: IncomingMessage): number {
  return statusCode >= 200 && statusCode <= 599 ? statusCode : 599;
}

async function readResponse(
  response: IncomingMessage,
  { download }: HttpRequest,
  context: RequestContext,
  keep: KeepBytes | undefined,
): Promise<HttpResponse> {
  const { statusCode: status = 0 } = response;
  const headers = headersOf(response);
  if (download === undefined || keep === undefined || status !== 200) {
    return { status, headers, body: await readText(response, context) };
  }
  const name = fileNameIn(headers['content-disposition']) ?? download;
  const file = await keep(name, headers['content-type'] ?? 'application/octet-stream', response);
  return { status, headers, body: '', file };
}

/** Joins the raw list of names and values into an object. */
function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    const value = rawHeaders[at + 1] ?? '';
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** Reads the whole body, decompressed. @throws ResponseError above the limit, which counts decompressed bytes */
async function readText(response: IncomingMessage, { limit, host }: RequestContext): Promise<string> {
  const bytes = await collect(response, limit, host);
  const encoding = response.headers['content-encoding'];
  const body = encoding === undefined || bytes.length === 0 ? bytes : await decompressed(bytes, encoding, limit, host);
  // A byte order mark is dropped.
  return new TextDecoder().decode(body);
}

async function collect(body: AsyncIterable<Buffer>, limit: number, host: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge(host, limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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

/** Some servers send `deflate` without the header that names its method and sums up to a multiple of 31. */
function hasZlibHeader([method = 0, flags = 0]: Buffer): boolean {
  return method % 16 === 8 && (method * 256 + flags) % 31 === 0;
}
