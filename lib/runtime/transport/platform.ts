/** Sends requests through the platform's own `http`, which is synchronous and returns a status for every failure. */
import { ConfigurationError, NetworkError, ProxyError, TlsError } from '../../core/errors.ts';
import { asText, objectOf } from '../../core/json.ts';
import { SETTINGS } from '../../core/parameters.ts';
import type { FileEntry, HttpRequest, HttpResponse, SavedFile, Transport } from '../../core/ports.ts';
import { utf8Text } from '../../core/text/utf8.ts';
import { hostOf } from '../settings/address.ts';
import { lostConnection, refused, timedOut, unknownName, unreachable } from './failures.ts';
import { fileNameIn, multipartText } from './multipart.ts';

export interface PlatformRequest {
  Method: string;
  /** The platform expects a list of values for each header. */
  Headers: Record<string, string[]>;
  Body?: string;
  /** Store the body of the response as a file. */
  SaveToFile?: true;
}

/** Absent or zero if there was no response; `Status` then gives the reason. */
export interface PlatformResponse {
  StatusCode?: unknown;
  Status?: unknown;
  Body?: unknown;
  Headers?: Readonly<Record<string, unknown>>;
  /** The stored file. */
  Path?: unknown;
}

/**
 * The platform's function: address, request, accept any certificate, use the system's proxy, two arguments that the
 * platform's own integrations leave undefined, and the time-out in milliseconds.
 * @returns a `PlatformResponse`; some engines return nothing, or throw, if a connection fails
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
  /** Reads the text of an uploaded file. @throws UsageError if it does not exist */
  readonly textOf: (file: FileEntry) => string;
}

/** Creates a transport over the platform's `http`. Uploads files as text, because a script cannot read bytes. */
export function platformTransport(http: PlatformHttp, options: PlatformTransportOptions): Transport {
  const { insecure, proxy, textOf } = options;
  return {
    async send(request) {
      refuseRelative(request.url);
      const timeoutMs = Math.ceil(request.timeoutMs);
      const sent = platformRequest(request, textOf);
      const call = () => http(request.url, sent, insecure, proxy, undefined, undefined, timeoutMs);
      const { path, reason, ...response } = outcomeOf(call);
      if (!(response.status >= 100)) throw noResponse(reason, request);
      const file = response.status < 300 ? savedFile(request, response.headers, path) : undefined;
      return file === undefined ? response : { ...response, body: '', file };
    },
  };
}

// The platform would send a relative address to itself, with the credentials.
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
  return { entry: path, name: fileNameIn(headers['content-disposition']) ?? download, size: undefined, contentType };
}

interface PlatformOutcome extends HttpResponse {
  readonly path: string | undefined;
  /** The engine's reason for a missing response: only for matching, because it may contain an address. */
  readonly reason: string;
}

/** Makes the call. A failure has status 0, because the request may have arrived. */
function outcomeOf(call: () => unknown): PlatformOutcome {
  try {
    // Some engines return nothing if a connection fails.
    const response: PlatformResponse = objectOf(call());
    return {
      status: Number(response.StatusCode ?? 0),
      headers: headersOf(response.Headers),
      body: bodyOf(response.Body ?? ''),
      path: typeof response.Path === 'string' ? response.Path : undefined,
      reason: asText(response.Status ?? ''),
    };
  } catch (thrown) {
    return { status: 0, headers: {}, body: '', path: undefined, reason: messageOf(thrown) };
  }
}

/** Reads the body: a text or, on some engines, bytes in a list or in an object with a length. */
function bodyOf(body: unknown): string {
  const { length } = objectOf(body);
  const isBytes = typeof body === 'object' && (Array.isArray(body) || typeof length === 'number');
  return (isBytes ? utf8Text(body as ArrayLike<unknown>) : undefined) ?? asText(body);
}

/** Engines may throw any value, even one that cannot be converted to text. */
function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return '';
  }
}

// The platform writes names like `Retry-After` and values as lists; the port promises lower case and text.
function headersOf(headers: PlatformResponse['Headers']): HttpResponse['headers'] {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(objectOf(headers))) {
    plain[name.toLowerCase()] = Array.isArray(value) ? value.map(asText).join(', ') : asText(value ?? '');
  }
  return plain;
}

const INSECURE = `"${SETTINGS.insecure.display}"`;
const PROXY = `"${SETTINGS.proxy.display}"`;
const MORE_TIME = 'Run it again with more time (execution-timeout=<seconds>), or request less data.';
const CHECK = `Check the address in the instance settings and the platform's network; behind a proxy, turn on ${PROXY}.`;

type Cause = [pattern: RegExp, make: (host: string, timeoutMs: number) => NetworkError];

/** Patterns of the platform's reasons, most specific first. The reason itself is not shown: it may hold an address. */
const CAUSES: readonly Cause[] = [
  [/proxyconnect|\bproxy\b/i, proxyFailed],
  [/x509|certificate|tls:/i, untrusted],
  [/^timeout|timed out|timeout|deadline exceeded/i, (host, limit) => timedOut(host, 'waiting', limit, MORE_TIME)],
  [/no such host/i, (host) => unknownName(host, true, CHECK)],
  [/refused/i, (host) => refused(host, CHECK)],
  [/no route|unreachable/i, (host) => unreachable(host, CHECK)],
  [/EOF|reset|broken pipe|closed/i, (host) => lostConnection(host, CHECK)],
];

function noResponse(reason: string, { url, timeoutMs }: HttpRequest): NetworkError {
  const host = hostOf(url);
  const cause = CAUSES.filter(([pattern]) => pattern.test(reason))[0];
  return (
    cause?.[1](host, Math.round(timeoutMs / 1000) * 1000) ??
    new NetworkError(`The request to ${host} got no response.`, { hint: CHECK, retryable: true })
  );
}

function untrusted(host: string): TlsError {
  return new TlsError(`The certificate of ${host} is not trusted, or the TLS handshake failed.`, {
    sent: false,
    hint: `Make the platform trust its authority. To accept any certificate, in a test only, turn on ${INSECURE}.`,
  });
}

function proxyFailed(host: string): ProxyError {
  return new ProxyError(`The proxy to ${host} did not forward the request.`, {
    hint: `Check the proxy of the platform's system settings, or turn off ${PROXY}.`,
  });
}
