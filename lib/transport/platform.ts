/** Carries requests through the platform's own `http`, which is synchronous and answers with a status for every failure. */
import { ConfigurationError, NetworkError, ProxyError, TimeoutError, TlsError } from '../errors.ts';
import { asText, objectOf } from '../json.ts';
import type { FileEntry, HttpRequest, HttpResponse, SavedFile, Transport } from '../ports.ts';
import { hostOf } from '../settings/address.ts';
import { SETTINGS } from '../settings/parameters.ts';
import { multipartText } from './multipart.ts';

export interface PlatformRequest {
  Method: string;
  /** Every value stands in a list of its own. */
  Headers: Record<string, string[]>;
  Body?: string;
  /** Keep the body of the answer as a file. */
  SaveToFile?: true;
}

/** Zero or no status: no answer came, and `Status` says why. */
export interface PlatformResponse {
  StatusCode?: unknown;
  Status?: unknown;
  Body?: unknown;
  Headers?: Readonly<Record<string, unknown>>;
  /** The file that was kept. */
  Path?: unknown;
}

/**
 * The platform's function: address, request, accept any certificate, use the system's proxy, two places that its own
 * integrations leave undefined, and the time in milliseconds.
 * @returns a `PlatformResponse`; some engines hand back nothing when a connection fails, or throw
 */
export type PlatformHttp = (
  url: string,
  request: PlatformRequest,
  insecure: boolean,
  proxy: boolean,
  fifth: undefined,
  sixth: undefined,
  timeoutMs: number,
) => unknown;

export interface PlatformTransportOptions {
  /** Accept any certificate. */
  readonly insecure: boolean;
  /** Use the proxy of the platform's system settings. */
  readonly proxy: boolean;
  /** The text of an uploaded file. @throws UsageError when there is none */
  readonly textOf: (file: FileEntry) => string;
}

/** A transport over the platform's `http`. Files are uploaded as text, because a script sees no bytes. */
export function platformTransport(http: PlatformHttp, options: PlatformTransportOptions): Transport {
  const { insecure, proxy, textOf } = options;
  return {
    async send(request) {
      refuseRelative(request.url);
      const timeoutMs = Math.ceil(request.timeoutMs);
      const sent = platformRequest(request, textOf);
      const ask = () => http(request.url, sent, insecure, proxy, undefined, undefined, timeoutMs);
      const { path, reason, ...response } = answerOf(ask);
      if (!(response.status >= 100)) throw noAnswer(reason, request);
      const file = response.status < 300 ? savedFile(request, response.headers, path) : undefined;
      return file === undefined ? response : { ...response, body: '', file };
    },
  };
}

// The platform sends a relative address to itself, with our credentials.
function refuseRelative(url: string): void {
  if (/^https?:\/\//i.test(url)) return;
  throw new ConfigurationError('A request has no absolute address.', {
    hint: 'Every address in the instance settings must begin with https://.',
  });
}

function platformRequest(request: HttpRequest, textOf: (file: FileEntry) => string): PlatformRequest {
  const { method, headers, body, upload, download } = request;
  const form = upload === undefined ? undefined : multipartText(upload, textOf(upload.file));
  const all = form === undefined ? headers : { ...headers, 'content-type': form.contentType };
  const content = form?.body ?? body;
  return {
    Method: method,
    Headers: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]])),
    ...(content === undefined ? {} : { Body: content }),
    ...(download === undefined ? {} : { SaveToFile: true }),
  };
}

function savedFile(
  { download }: HttpRequest,
  headers: HttpResponse['headers'],
  path: string | undefined,
): SavedFile | undefined {
  if (download === undefined || path === undefined || path === '') return undefined;
  const contentType = headers['content-type'] ?? 'application/octet-stream';
  return { entry: path, name: nameIn(headers['content-disposition']) ?? download, size: undefined, contentType };
}

// A name is a name and no path, whatever the service says.
function nameIn(disposition = ''): string | undefined {
  const found = /filename="?([^";]+)"?/i.exec(disposition)?.[1]?.split(/[\\/]/).pop()?.trim();
  return found === undefined || /^\.*$/.test(found) ? undefined : found;
}

interface Answer extends HttpResponse {
  readonly path: string | undefined;
  /** Why there is no answer, in the engine's words: to be compared, never to be shown. */
  readonly reason: string;
}

/** Whatever goes wrong on the way, and with what was handed back: the request may have arrived. */
function answerOf(ask: () => unknown): Answer {
  try {
    // Some engines hand back nothing where a connection failed.
    const answer: PlatformResponse = objectOf(ask());
    return {
      status: Number(answer.StatusCode ?? 0),
      headers: headersOf(answer.Headers),
      body: asText(answer.Body ?? ''),
      path: typeof answer.Path === 'string' ? answer.Path : undefined,
      reason: asText(answer.Status ?? ''),
    };
  } catch (thrown) {
    return { status: 0, headers: {}, body: '', path: undefined, reason: messageOf(thrown) };
  }
}

/** What is thrown may be anything, and say nothing, or fail again when it is asked. */
function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return '';
  }
}

// The platform writes names as `Retry-After` and values as lists; a port promises lower case and text.
function headersOf(headers: PlatformResponse['Headers']): HttpResponse['headers'] {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(objectOf(headers))) {
    plain[name.toLowerCase()] = Array.isArray(value) ? value.map(asText).join(', ') : asText(value ?? '');
  }
  return plain;
}

const INSECURE = `"${SETTINGS.insecure.display}"`;
const PROXY = `"${SETTINGS.proxy.display}"`;
const CHECK = `Check the address in the instance settings, and that the platform may reach it; behind a proxy, switch on ${PROXY}.`;

type Cause = [pattern: RegExp, make: (host: string, request: HttpRequest) => NetworkError];

/** What the platform says of a request without an answer, most telling first. Its text may hold an address, so it is not shown. */
const CAUSES: readonly Cause[] = [
  [/proxyconnect|\bproxy\b/i, proxyFailed],
  [/x509|certificate|tls:/i, untrusted],
  [/^timeout|timed out|timeout|deadline exceeded/i, timedOut],
  [/no such host/i, (host) => failed(`The host name of ${host} could not be resolved.`, { sent: false })],
  [/refused/i, (host) => failed(`${host} refused the connection.`, { sent: false, retryable: true })],
  [/no route|unreachable/i, (host) => failed(`There is no route to ${host}.`, { sent: false, retryable: true })],
  [
    /EOF|reset|broken pipe|closed/i,
    (host) => failed(`The connection to ${host} was lost before the answer came.`, { retryable: true }),
  ],
];

function noAnswer(reason: string, request: HttpRequest): NetworkError {
  const host = hostOf(request.url);
  const cause = CAUSES.filter(([pattern]) => pattern.test(reason))[0];
  return cause === undefined
    ? failed(`The request to ${host} got no answer.`, { retryable: true })
    : cause[1](host, request);
}

function failed(message: string, more: { sent?: boolean; retryable?: boolean }): NetworkError {
  return new NetworkError(message, { hint: CHECK, ...more });
}

function timedOut(host: string, { timeoutMs }: HttpRequest): TimeoutError {
  return new TimeoutError(
    `Timed out after ${Math.round(timeoutMs / 1000)} s while waiting for the answer of ${host}.`,
    {
      hint: 'Run it again with more time (execution-timeout=<seconds>), or ask for less at once.',
      retryable: true,
    },
  );
}

function untrusted(host: string): TlsError {
  return new TlsError(`The certificate of ${host} is not trusted, or no secure connection came about.`, {
    sent: false,
    hint: `Add its authority to those that the platform trusts. To accept any certificate, in a test only, switch on ${INSECURE}.`,
  });
}

function proxyFailed(host: string): ProxyError {
  return new ProxyError(`The proxy on the way to ${host} did not carry the request.`, {
    hint: `Check the proxy of the platform's system settings, or switch off ${PROXY}.`,
  });
}
