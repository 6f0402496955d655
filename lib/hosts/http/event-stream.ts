/** Server-sent events: the events of one run, to its end. */
import type { FastifyReply } from 'fastify';
import type { StreamEvent } from './permitted-events.ts';

/** Keeps the connection open through proxies, in milliseconds. */
const HEARTBEAT_MS = 15_000;
/** A reader that is further behind is dropped; it can resume after its last event. */
const MOST_UNREAD = 1_000_000;

/** Writes events until the last one, or until the reader leaves. */
export async function streamEvents(
  reply: FastifyReply,
  follow: (signal: AbortSignal) => AsyncIterable<StreamEvent>,
): Promise<void> {
  const left = new AbortController();
  const { raw } = reply;
  const headers = { ...reply.getHeaders() };
  reply.hijack();
  raw.writeHead(200, {
    ...(headers as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // An open stream must not keep the server from its end.
    connection: 'close',
  });
  raw.once('close', () => left.abort());
  // It may have left while its run was looked up.
  if (raw.destroyed) left.abort();
  raw.on('error', () => left.abort());
  raw.write(': follow\n\n');
  const heartbeat = setInterval(() => raw.write(': wait\n\n'), HEARTBEAT_MS);
  heartbeat.unref();
  try {
    for await (const { id, event, data } of follow(left.signal)) {
      raw.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (raw.writableLength <= MOST_UNREAD) continue;
      raw.destroy();
      break;
    }
  } finally {
    clearInterval(heartbeat);
    raw.end();
  }
}
