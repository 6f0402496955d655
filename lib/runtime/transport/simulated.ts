/**
 * Sends requests to a simulated service in this process; applies the latency and faults that its response asks for.
 */
import {
  type Clock,
  type Files,
  type HttpRequest,
  type HttpResponse,
  type KeepBytes,
  readAll,
  type Transport,
} from '../../core/ports.ts';
import { withStop } from '../../core/stop.ts';
import { utf8Bytes } from '../../core/text/utf8.ts';
import { hostOf } from '../settings/address.ts';
import { incompleteResponse, lostConnection, MAX_RESPONSE_BYTES, timedOut, tooLarge } from './failures.ts';
import { fileNameIn, multipartText } from './multipart.ts';

export interface SimulatedRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Empty if the request has no body. */
  body: string;
}

export interface SimulatedResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** True if each character of the body represents one byte. */
  binary?: boolean;
  /** Time before the response arrives, in milliseconds. */
  latencyMs: number;
  /**
   * `reset`, `drop`: the connection ends without a response; `hang`: no response; `stall`, `drip`: a response without
   * end; `truncate`: half a response; `oversize`, `inflate`: a response that is too large.
   */
  fault?: 'reset' | 'drop' | 'hang' | 'stall' | 'drip' | 'truncate' | 'oversize' | 'inflate';
}

/** The core of a simulated service: returns its response at once. */
export type SimulatedHandle = (request: SimulatedRequest, clock: Pick<Clock, 'now'>) => SimulatedResponse;

/**
 * Creates a transport to a simulated service. Time passes only on `clock`, which the service shares. `send` fails as a
 * real transport does: TimeoutError after `timeoutMs`, NetworkError for a lost or incomplete response.
 */
export function simulatedTransport(handle: SimulatedHandle, clock: Clock, host: SimulatedHost = {}): Transport {
  // The service represents another machine, so changes to this machine's wall clock must not affect it.
  const start = clock.now() - clock.elapsed();
  const service = { now: () => start + clock.elapsed() };
  return { send: (request) => send((simulated) => handle(simulated, service), clock, request, host) };
}

/** Files of the host, for uploads and downloads. */
export interface SimulatedHost {
  readonly files?: Files;
  readonly keep?: KeepBytes;
}

async function send(
  handle: SimulatedHandle,
  clock: Clock,
  request: HttpRequest,
  { files, keep }: SimulatedHost,
): Promise<HttpResponse> {
  const { method, url, timeoutMs, upload, download, stop } = request;
  const multipart =
    upload === undefined || files === undefined ? undefined : multipartText(upload, await readAll(files, upload.file));
  const body = multipart?.body ?? request.body ?? '';
  const headers =
    multipart === undefined ? request.headers : { ...request.headers, 'content-type': multipart.contentType };
  const response = handle({ method, url, headers, body }, clock);
  const host = hostOf(url);
  if (response.latencyMs >= timeoutMs) {
    await clock.wait(timeoutMs, stop);
    throw timedOut(host, 'waiting', timeoutMs);
  }
  if (response.latencyMs > 0) await clock.wait(response.latencyMs, stop);
  if (response.fault !== undefined) {
    await fail(response.fault, withStop(stop, clock), host, { timeoutMs, passedMs: response.latencyMs });
  }
  const plain = lowerCase(response.headers);
  if (download === undefined || keep === undefined || response.status !== 200) {
    return { status: response.status, headers: plain, body: response.body };
  }
  const name = fileNameIn(plain['content-disposition']) ?? download;
  const file = await keep(name, plain['content-type'] ?? 'application/octet-stream', [bytesOf(response)]);
  return { status: response.status, headers: plain, body: '', file };
}

async function fail(
  fault: Exclude<SimulatedResponse['fault'], undefined>,
  clock: Clock,
  host: string,
  { timeoutMs, passedMs }: { timeoutMs: number; passedMs: number },
): Promise<never> {
  if (fault === 'reset' || fault === 'drop') throw lostConnection(host);
  if (fault === 'truncate') throw incompleteResponse(host);
  if (fault === 'oversize' || fault === 'inflate') throw tooLarge(host, MAX_RESPONSE_BYTES);
  await clock.wait(timeoutMs - passedMs);
  throw timedOut(host, fault === 'hang' ? 'waiting' : 'reading', timeoutMs);
}

function bytesOf({ body, binary }: SimulatedResponse): Uint8Array {
  if (binary !== true) return new Uint8Array(utf8Bytes(body));
  const bytes = new Uint8Array(body.length);
  for (let at = 0; at < body.length; at += 1) bytes[at] = body.charCodeAt(at);
  return bytes;
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
