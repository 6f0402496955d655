/**
 * HTTP on Node: ky over the global fetch, through agents of undici. One attempt, no redirect; whatever repeats a request stands above.
 * Nothing is loaded before the first request.
 */
import type { KyInstance } from 'ky';
import { CancelledError, ConfigurationError } from '../errors.ts';
import type { HttpRequest, HttpResponse, KeepBytes, Transport } from '../ports.ts';
import { hostOf } from '../settings/address.ts';
import { settingTitle } from '../settings/parameters.ts';
import { timedOut } from './failures.ts';
import { fileNameIn } from './file-name.ts';
import { readText } from './node-body.ts';
import type { Connections } from './node-connections.ts';
import { abandon, newExchange } from './node-exchange.ts';
import { explain } from './node-failures.ts';
import { type Environment, type ProxyServer, proxyFor } from './node-proxy.ts';

export interface NodeTransportOptions {
  /** Accept any certificate of the service, for this transport alone. */
  insecure: boolean;
  /** Read `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
  proxy: boolean;
  /** Ends what is on its way, with a CancelledError. */
  signal?: AbortSignal;
  /** Limit of one answer after decompression, in bytes; default 100 MB. */
  maxResponseBytes?: number;
  /** Where the proxy variables are read; none when absent. */
  environment?: Environment;
  /** Where downloads go; without it they cannot be made. */
  keep?: KeepBytes;
  /** Told once, at the first request, when certificates are not checked. */
  warn?: (message: string) => void;
}

export type NodeTransport = Transport & {
  /** Ends every connection; a request on its way fails. */
  close(): Promise<void>;
};

const MAX_RESPONSE_BYTES = 100_000_000;

export function nodeTransport(options: NodeTransportOptions): NodeTransport {
  let opened: Promise<Engine> | undefined;
  const running = new Set<() => void>();
  // One listener for all requests: a bulk scan has more of them at once than a signal expects.
  const cancel = () => {
    for (const stop of running) stop();
  };
  options.signal?.addEventListener('abort', cancel);
  const open = () => {
    if (options.insecure && opened === undefined) {
      options.warn?.(`${settingTitle('insecure')} is on: certificates of the service are not checked.`);
    }
    opened ??= load(options.insecure);
    return opened;
  };
  return {
    async send(request) {
      checkHeaders(request.headers);
      const target = parseTarget(request.url);
      const proxy = options.proxy ? proxyFor(target, options.environment ?? {}) : undefined;
      const engine = await open();
      if (options.signal?.aborted) throw new CancelledError('Stopped.');
      return carry(request, proxy, engine, running, options);
    },
    async close() {
      options.signal?.removeEventListener('abort', cancel);
      const closing = await opened;
      opened = undefined;
      await closing?.connections.close();
    },
  };
}

interface Engine {
  ky: KyInstance;
  connections: Connections;
}

async function load(insecure: boolean): Promise<Engine> {
  const [{ default: ky }, { openConnections }] = await Promise.all([import('ky'), import('./node-connections.ts')]);
  return { ky, connections: await openConnections(insecure) };
}

async function carry(
  request: HttpRequest,
  proxy: ProxyServer | undefined,
  { ky, connections }: Engine,
  running: Set<() => void>,
  { maxResponseBytes = MAX_RESPONSE_BYTES, keep }: NodeTransportOptions,
): Promise<HttpResponse> {
  const host = hostOf(request.url);
  const state = newExchange();
  const end = deadline(request.timeoutMs, running);
  try {
    // Spread as a plain object: the types of fetch know the dispatcher of Node's own undici only.
    const route: object = { dispatcher: connections.dispatcher(state, proxy) };
    const content = await contentOf(request);
    const response = await ky(request.url, { ...fixed(request), ...content, ...route, signal: end.signal });
    state.phase = 'reading';
    const { status } = response;
    const headers = readHeaders(response.headers);
    if (request.download !== undefined && status === 200 && keep !== undefined && response.body !== null) {
      const name = fileNameIn(headers['content-disposition']) ?? request.download;
      const file = await keep(name, headers['content-type'] ?? 'application/octet-stream', response.body);
      return { status, headers, body: '', file };
    }
    return { status, headers, body: await readText(response.body, maxResponseBytes, host) };
  } catch (thrown) {
    abandon(state);
    if (end.reached() === 'cancelled') throw new CancelledError('Stopped.');
    if (end.reached() !== 'time') throw explain(thrown, state.failure, host, state.phase);
    const way = state.phase === 'connecting' && proxy !== undefined ? ` through the proxy ${proxy.host}` : '';
    throw timedOut(`${host}${way}`, state.phase, request.timeoutMs);
  } finally {
    end.clear();
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

/** One signal for the time of the whole exchange and for the user's stop, and which of the two it was. */
function deadline(milliseconds: number, running: Set<() => void>) {
  const controller = new AbortController();
  let reached: 'time' | 'cancelled' | undefined;
  const stop = (why: 'time' | 'cancelled') => () => {
    reached ??= why;
    controller.abort();
  };
  const cancel = stop('cancelled');
  const timer = setTimeout(stop('time'), milliseconds);
  running.add(cancel);
  return {
    signal: controller.signal,
    reached: () => reached,
    clear() {
      clearTimeout(timer);
      running.delete(cancel);
    },
  };
}

function parseTarget(url: string): URL {
  if (URL.canParse(url)) return new URL(url);
  throw new ConfigurationError(`The address of ${hostOf(url)} is not valid.`, { hint: 'Check the address settings.' });
}

// fetch would refuse them too, and repeat the value in what it throws.
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue;
    throw new ConfigurationError(`The header ${name} holds a character that cannot be sent.`, {
      hint: 'Check the credentials for line breaks and for characters that look like others.',
    });
  }
}

function readHeaders(headers: Headers): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of headers) {
    const before = result[name];
    result[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return result;
}
