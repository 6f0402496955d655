/** What is more than text for text: files on their way up and down, and proxies. ky over the global fetch, through agents of undici. */
import type { KyInstance } from 'ky';
import type { HttpRequest, HttpResponse, KeepBytes } from '../ports.ts';
import { fileNameIn } from './file-name.ts';
import { type Body, openBody, readText } from './node-body.ts';
import type { Carrier, Errand } from './node-carrier.ts';
import type { Connections } from './node-connections.ts';
import { abandon } from './node-exchange.ts';

interface Engine {
  readonly ky: KyInstance;
  readonly connections: Connections;
}

/**
 * @param insecure accept any certificate of the service
 * @param keep where downloads go; without it they cannot be made
 */
export async function fetchCarrier(insecure: boolean, keep: KeepBytes | undefined): Promise<Carrier> {
  const [{ default: ky }, { openConnections }] = await Promise.all([import('ky'), import('./node-connections.ts')]);
  const engine = { ky, connections: await openConnections(insecure) };
  return {
    carry: (request, errand) => exchange(request, errand, engine, keep),
    close: () => engine.connections.close(),
  };
}

async function exchange(
  request: HttpRequest,
  { state, proxy, onStop, limit, host }: Errand,
  { ky, connections }: Engine,
  keep: KeepBytes | undefined,
): Promise<HttpResponse> {
  const controller = new AbortController();
  let body: Body | undefined;
  onStop(() => {
    controller.abort();
    // Where the answer has begun, the fetch of Node may have forgotten what would tell it.
    body?.stop();
  });
  try {
    // Spread as a plain object: the types of fetch know the dispatcher of Node's own undici only.
    const route: object = { dispatcher: connections.dispatcher(state, proxy) };
    const content = await contentOf(request);
    // ky would copy what has a body, and with it the whole of a file.
    const send: typeof fetch = (input, init) => fetch(input, { ...init, ...content });
    const response = await ky(request.url, { ...fixed(request), ...route, signal: controller.signal, fetch: send });
    state.phase = 'reading';
    body = response.body === null ? undefined : openBody(response.body);
    if (controller.signal.aborted) body?.stop();
    const { status } = response;
    const headers = readHeaders(response.headers);
    if (request.download !== undefined && status === 200 && keep !== undefined && body !== undefined) {
      const name = fileNameIn(headers['content-disposition']) ?? request.download;
      const file = await keep(name, headers['content-type'] ?? 'application/octet-stream', body.pieces);
      return { status, headers, body: '', file };
    }
    return { status, headers, body: body === undefined ? '' : await readText(body.pieces, limit, host) };
  } catch (thrown) {
    abandon(state);
    throw thrown;
  }
}

/** The body of a request; a file is streamed from where it lies. */
async function contentOf({ body, upload }: HttpRequest): Promise<{ body?: string | FormData }> {
  if (upload === undefined) return body === undefined ? {} : { body };
  const { openAsBlob } = await import('node:fs');
  const form = new FormData();
  for (const { name, fileName, contentType, text } of upload.parts) {
    form.append(name, new Blob([text], { type: contentType }), fileName ?? name);
  }
  form.append(upload.field, await openAsBlob(upload.file.entry, { type: upload.contentType }), upload.file.name);
  return { body: form };
}

function fixed({ method, headers }: HttpRequest) {
  const options = { method, headers: { ...headers }, retry: 0, timeout: false, throwHttpErrors: false } as const;
  return { ...options, redirect: 'manual' as const };
}

function readHeaders(headers: Headers): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of headers) {
    const before = result[name];
    result[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return result;
}
