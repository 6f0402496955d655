/** Sends one HTTP request with ky over `fetchOverHttp`. The only importer of ky. */
import type { IncomingMessage } from 'node:http';
import ky from 'ky';
import type { HttpRequest, HttpResponse, KeepBytes } from '../../core/ports.ts';
import { fileNameIn } from '../file-name.ts';
import type { Agents } from './agents.ts';
import { contentOf } from './content.ts';
import { fetchOverHttp, type RequestHead } from './fetch.ts';
import type { RequestContext } from './request-context.ts';
import { headersOf, readText } from './response.ts';

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
