/** One attempt of one request: ky in front, and below it the one fetch of this project. The only importer of ky. */
import type { IncomingMessage } from 'node:http';
import ky from 'ky';
import type { HttpRequest, HttpResponse, KeepBytes } from '../../ports.ts';
import { fileNameIn } from '../file-name.ts';
import type { Agents } from './agents.ts';
import { headersOf, textOf } from './answer.ts';
import { contentOf } from './content.ts';
import type { Errand } from './errand.ts';
import { type Asked, fetchOverHttp } from './fetch.ts';

// Repeats, time and what a status means are decided above, where the platform's engine shares them.
const ONCE = { retry: 0, timeout: false, throwHttpErrors: false } as const;
/** What a text may be compressed with; a file is kept as it comes. */
const [TEXT_ENCODINGS, FILE_ENCODINGS] = ['gzip, deflate, br', 'identity'];

/** @throws whatever the connection says; `explain` makes it an error of this project */
export async function carry(
  request: HttpRequest,
  errand: Errand,
  agents: Agents,
  keep: KeepBytes | undefined,
): Promise<HttpResponse> {
  const { method, url, download } = request;
  const content = await contentOf(request);
  const headers = {
    'accept-encoding': download === undefined ? TEXT_ENCODINGS : FILE_ENCODINGS,
    ...request.headers,
  };
  let answer: IncomingMessage | undefined;
  try {
    // The bodies go past ky: it would copy each request, and a stream of the web for each answer costs more than all the rest.
    const fetch = async (asked: unknown) => {
      answer = await fetchOverHttp(asked as Asked, content, errand, agents);
      return new Response(null, { status: statusFor(answer) });
    };
    await ky(url, { ...ONCE, method, headers, fetch });
    if (answer === undefined) throw new Error('there is no answer');
    return await received(answer, request, errand, keep);
  } catch (thrown) {
    answer?.destroy();
    throw thrown;
  }
}

/** A `Response` knows these alone; what is returned has the service's own. */
function statusFor({ statusCode = 0 }: IncomingMessage): number {
  return statusCode >= 200 && statusCode <= 599 ? statusCode : 599;
}

async function received(
  answer: IncomingMessage,
  { download }: HttpRequest,
  errand: Errand,
  keep: KeepBytes | undefined,
): Promise<HttpResponse> {
  const { statusCode: status = 0 } = answer;
  const headers = headersOf(answer);
  if (download === undefined || keep === undefined || status !== 200) {
    return { status, headers, body: await textOf(answer, errand) };
  }
  const name = fileNameIn(headers['content-disposition']) ?? download;
  const file = await keep(name, headers['content-type'] ?? 'application/octet-stream', answer);
  return { status, headers, body: '', file };
}
