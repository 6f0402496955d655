/** Writes server-sent events, to the end of a run or of a guarded stream. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

/** Time between two comments that keep the connection open through proxies, in milliseconds. */
const HEARTBEAT_MS = 15_000;
/** Time without progress after which a reader is disconnected, in milliseconds. It can resume after its last event. */
const STALL_MS = 60_000;
/** Size of a write, in bytes: each write lets a slow reader of a large event make progress. */
const PIECE_BYTES = 65_536;

/** An event to write. */
export interface SentEvent {
  /** Number by which a reader can resume. */
  readonly id?: number;
  /** Default: an event without a name, which readers call `message`. */
  readonly event?: string;
  /** Written as JSON. */
  readonly data: unknown;
}

/** Writes events until the last one, or until the reader leaves. */
export async function streamEvents(
  reply: FastifyReply,
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
  raw.once('close', () => left.abort());
  // The reader may have left while its run was looked up.
  if (raw.destroyed) left.abort();
  raw.on('error', () => left.abort());
  raw.write(': follow\n\n');
  const heartbeat = setInterval(() => {
    // Skip a reader that still has data to read.
    if (!raw.writableNeedDrain) raw.write(': wait\n\n');
  }, HEARTBEAT_MS);
  heartbeat.unref();
  try {
    await writeEvents(raw, follow(left.signal), left.signal, STALL_MS);
  } finally {
    clearInterval(heartbeat);
    raw.end();
  }
}

/**
 * Writes events at the speed of the reader: requests the next event when the last one is sent.
 * @param stallMs time without progress after which the reader is disconnected
 */
export async function writeEvents(
  reader: Writable,
  events: AsyncIterable<SentEvent>,
  left: AbortSignal,
  stallMs: number,
): Promise<void> {
  for await (const { id, event, data } of events) {
    const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
    const bytes = Buffer.from(`${head}data: ${JSON.stringify(data)}\n\n`);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      if (reader.write(bytes.subarray(at, at + PIECE_BYTES)) || (await drained(reader, left, stallMs))) continue;
      reader.destroy();
      return;
    }
  }
}

/** Waits until a reader has taken everything. @returns false if it left or stalled */
async function drained(reader: Writable, left: AbortSignal, stallMs: number): Promise<boolean> {
  const drain = new AbortController();
  const stall = pause(stallMs, false, { signal: drain.signal });
  const taken = once(reader, 'drain', { signal: left }).then(() => true);
  return Promise.race([taken, stall])
    .catch(() => false)
    .finally(() => drain.abort());
}
