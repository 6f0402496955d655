/** Writes server-sent events, to the end of a run or of a guarded stream. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { whenOver } from '../responses/when-over.ts';

/** Time between two comments that keep the connection open through proxies, in milliseconds. */
const HEARTBEAT_MS = 15_000;
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

/** Counts bytes that wait for the reader. @returns a function for their end */
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
  // The reader may have left while its run was looked up.
  whenOver(reply, () => left.abort());
  raw.on('error', () => left.abort());
  raw.write(': follow\n\n');
  const heartbeat = setInterval(() => {
    // Skip a reader that still has data to read.
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

/** Writes events at the speed of the reader: requests the next event when the last one is sent. */
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
