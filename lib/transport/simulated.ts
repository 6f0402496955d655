/** Carries requests to a simulated service inside this process: latency and faults come as data with the answer, and happen here. */
import type { Clock, Files, HttpRequest, HttpResponse, KeepBytes, Transport } from '../ports.ts';
import { hostOf } from '../settings/address.ts';
import { stoppedBy } from '../stop.ts';
import { readAll } from '../text/read-all.ts';
import { utf8Bytes } from '../text/utf8.ts';
import { brokenAnswer, LARGEST_ANSWER, lostConnection, timedOut, tooLarge } from './failures.ts';
import { fileNameIn } from './file-name.ts';
import { multipartText } from './multipart.ts';

export interface SimulatedRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Empty when there is none. */
  body: string;
}

export interface SimulatedAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Each character of the body stands for one byte. */
  binary?: boolean;
  /** Time before the answer comes, in milliseconds. */
  latencyMs: number;
  /**
   * `reset`, `drop`: the connection ends without an answer; `hang`: there is none; `stall`, `drip`: one without an end;
   * `truncate`: half of one; `oversize`, `inflate`: one that is too large.
   */
  fault?: 'reset' | 'drop' | 'hang' | 'stall' | 'drip' | 'truncate' | 'oversize' | 'inflate';
}

/** The core of a simulated service: answers at once, and never waits. */
export type SimulatedHandle = (request: SimulatedRequest, clock: Pick<Clock, 'now'>) => SimulatedAnswer;

/**
 * A transport into a simulated service. Time passes on `clock` alone, which the service sees too.
 * `send` fails as a real one does: TimeoutError after `timeoutMs`, NetworkError for what was dropped or cut.
 */
export function simulatedTransport(handle: SimulatedHandle, clock: Clock, host: SimulatedHost = {}): Transport {
  // The service is another machine: what happens to the wall clock of this one does not reach it.
  const start = clock.now() - clock.elapsed();
  const service = { now: () => start + clock.elapsed() };
  return { send: (request) => send((asked) => handle(asked, service), clock, request, host) };
}

/** What uploads and downloads need of the host. */
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
  const answer = handle({ method, url, headers, body }, clock);
  const host = hostOf(url);
  if (answer.latencyMs >= timeoutMs) {
    await clock.wait(timeoutMs, stop);
    throw timedOut(host, 'waiting', timeoutMs);
  }
  if (answer.latencyMs > 0) await clock.wait(answer.latencyMs, stop);
  if (answer.fault !== undefined) {
    await fail(answer.fault, stoppedBy(stop, clock), host, { timeoutMs, passedMs: answer.latencyMs });
  }
  const plain = lowerCase(answer.headers);
  if (download === undefined || keep === undefined || answer.status !== 200) {
    return { status: answer.status, headers: plain, body: answer.body };
  }
  const name = fileNameIn(plain['content-disposition']) ?? download;
  const file = await keep(name, plain['content-type'] ?? 'application/octet-stream', [bytesOf(answer)]);
  return { status: answer.status, headers: plain, body: '', file };
}

async function fail(
  fault: Exclude<SimulatedAnswer['fault'], undefined>,
  clock: Clock,
  host: string,
  { timeoutMs, passedMs }: { timeoutMs: number; passedMs: number },
): Promise<never> {
  if (fault === 'reset' || fault === 'drop') throw lostConnection(host);
  if (fault === 'truncate') throw brokenAnswer(host);
  if (fault === 'oversize' || fault === 'inflate') throw tooLarge(host, LARGEST_ANSWER);
  await clock.wait(timeoutMs - passedMs);
  throw timedOut(host, fault === 'hang' ? 'waiting' : 'reading', timeoutMs);
}

function bytesOf({ body, binary }: SimulatedAnswer): Uint8Array {
  if (binary !== true) return new Uint8Array(utf8Bytes(body));
  const bytes = new Uint8Array(body.length);
  for (let at = 0; at < body.length; at += 1) bytes[at] = body.charCodeAt(at);
  return bytes;
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of Object.keys(headers)) result[name.toLowerCase()] = headers[name] ?? '';
  return result;
}
