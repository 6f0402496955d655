/** Writes server-sent events until a run, a session or a guarded stream ends, or the reader loses the right to read them. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { isObject } from '../../../core/json.ts';
import type { RunEvent } from '../../../runs/port.ts';
import { documentOf, type HttpError } from '../problems.ts';
import { whenOver } from '../response-end.ts';

/** Time between two comments that keep the connection open through proxies, in milliseconds. */
const HEARTBEAT_MS = 15_000;
/** Size of a write, in bytes: small writes let a slow reader of a large event make progress. */
const PIECE_BYTES = 65_536;

/** An event to write. */
export interface SentEvent {
  /** Number from which a reader can resume. */
  readonly id?: number;
  /** Default: an event without a name, which readers call `message`. */
  readonly event?: string;
  /** Written as JSON. */
  readonly data: unknown;
}

/** Counts bytes that wait for the reader. @returns a function that ends the count */
export type CountWaiting = (bytes: number) => () => void;

/** Writes events until the last one, or until the reader leaves. */
export async function streamEvents(
  reply: FastifyReply,
  count: CountWaiting,
  follow: (signal: AbortSignal) => AsyncIterable<SentEvent>,
): Promise<void> {
  const left = new AbortController();
  const { raw } = reply;
  const headers = { ...reply.getHeaders() };
  reply.hijack();
  raw.writeHead(200, {
    ...(headers as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Close the connection, so that an open stream does not keep the server from stopping.
    connection: 'close',
  });
  // The reader may have left during the lookup of its run.
  whenOver(reply, () => left.abort());
  raw.on('error', () => left.abort());
  raw.write(': follow\n\n');
  const heartbeat = setInterval(() => {
    // Send no comment while the reader still has data to read.
    if (!raw.writableNeedDrain) raw.write(': wait\n\n');
  }, HEARTBEAT_MS);
  heartbeat.unref();
  try {
    await writeEvents(raw, follow(left.signal), left.signal, count);
  } finally {
    clearInterval(heartbeat);
    raw.end();
  }
}

/** Writes events at the speed of the reader: requests the next event once the last event is sent. */
export async function writeEvents(
  reader: Writable,
  events: AsyncIterable<SentEvent>,
  left: AbortSignal,
  count: CountWaiting,
): Promise<void> {
  for await (const { id, event, data } of events) {
    const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
    const bytes = Buffer.from(`${head}data: ${JSON.stringify(data)}\n\n`);
    const sent = count(bytes.length);
    try {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        // A reader that makes no progress is disconnected, like the reader of any response.
        if (!reader.write(bytes.subarray(at, at + PIECE_BYTES))) await once(reader, 'drain', { signal: left });
      }
    } catch {
      reader.destroy();
      return;
    } finally {
      sent();
    }
  }
}

/** Maximum size of the data of one event, in bytes of JSON. */
export const MAX_EVENT_BYTES = 1_000_000;

/** Replaces data that is too large. @param url URL of the run, which has the whole result */
export function sizedEvent(event: RunEvent, url: string): RunEvent {
  const { data } = event;
  if (Buffer.byteLength(JSON.stringify(data)) <= MAX_EVENT_BYTES) return event;
  const isRun = event.event === 'state' || event.event === 'end';
  if (!isRun || !isObject(data)) return { ...event, data: { tooLarge: true, resultUrl: url } };
  const { result: _result, problem, ...run } = data;
  const rest = { ...run, ...(problem === undefined ? {} : { problem }), resultUrl: url };
  const fits = Buffer.byteLength(JSON.stringify(rest)) <= MAX_EVENT_BYTES;
  return { ...event, data: fits ? rest : { ...run, resultUrl: url } };
}

/** Time between two checks of a silent stream, in milliseconds. */
const CHECK_MS = 1000;

/** An event of a run or of a session. */
export interface StreamEvent {
  readonly id: number;
  readonly event: string;
  readonly data: unknown;
}

/**
 * Follows events while the reader may read them. A reader that loses the right gets `refused`, with a problem document, as
 * the last event.
 * @param refusal returns why the reader may not read on
 * @param after id of the last known event, which the last event repeats
 */
export function whilePermitted(
  follow: (signal: AbortSignal) => AsyncIterable<StreamEvent>,
  refusal: () => Promise<HttpError | undefined>,
  after: number,
): (signal: AbortSignal) => AsyncIterable<StreamEvent> {
  return async function* (signal) {
    const ending = new AbortController();
    const end = () => ending.abort();
    let refused: HttpError | undefined;
    const check = async () => {
      refused ??= await refusal();
      if (refused !== undefined) end();
    };
    const timer = setInterval(() => void check().catch(end), CHECK_MS);
    timer.unref();
    let id = after;
    try {
      for await (const event of follow(AbortSignal.any([signal, ending.signal]))) {
        await check();
        if (refused !== undefined) break;
        yield event;
        id = event.id;
      }
      if (refused !== undefined) yield { id, event: 'refused', data: documentOf(refused) };
    } finally {
      clearInterval(timer);
    }
  };
}
