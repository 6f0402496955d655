/** Holds what an Express handler writes back, whatever it writes with: `json`, `send`, `write`, or a stream that is piped. */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Chunks } from './answer.ts';

/** Node's response; middleware such as compression adds `flush`. */
export type HeldResponse = Omit<ServerResponse, 'write' | 'end'> & {
  write(chunk: string | Uint8Array): boolean;
  end(chunk?: string): unknown;
  readonly flush?: () => void;
};

/** Chunks in memory before streams that are piped wait. */
const MAX_WAITING = 16;

/** Returns the body that goes out instead of what a handler writes. */
type Answer = (chunks: Chunks) => Promise<string | ReadableStream<Uint8Array>>;

/** Queues what a handler writes. Streams that are piped wait while too many chunks do. */
function queueFor(response: HeldResponse) {
  const piped: Readable[] = [];
  // A stream that is piped goes on when the response has ended.
  response.on('pipe', (source: Readable) => {
    piped.push(source);
    response.once('close', () => source.destroy());
  });
  const { readable, writable } = new TransformStream<unknown, unknown>({}, { highWaterMark: MAX_WAITING });
  const writer = writable.getWriter();
  // Nothing is read any more after a block.
  const ignored = () => undefined;
  const push = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const isText = typeof chunk === 'string' && typeof encoding === 'string' && !/^utf-?8$/i.test(encoding);
    writer.write(isText ? Buffer.from(chunk, encoding as BufferEncoding) : chunk).catch(ignored);
    if ((writer.desiredSize ?? 1) > 0) return;
    for (const source of piped) source.pause();
    writer.ready.then(() => {
      for (const source of piped) source.resume();
    }, ignored);
  };
  return { chunks: readable, push, close: () => writer.close().catch(ignored) };
}

/** Takes the place of a response's methods. @param answer is called once, with the first chunk or the end */
export function held(response: HeldResponse, answer: Answer): void {
  const { write, end, writeHead, flushHeaders } = response;
  const { chunks, push, close } = queueFor(response);
  const pass = async () => {
    const body = await answer(chunks);
    // Node calls these methods itself when it writes a head.
    Object.assign(response, { writeHead, flushHeaders });
    if (typeof body !== 'string') await passEach(body, response, write);
    if (typeof body === 'string' && body !== '') end.call(response, body);
    else end.call(response);
  };
  let hasBegun = false;
  const begin = () => {
    if (!hasBegun) pass().catch(() => response.destroy());
    hasBegun = true;
  };
  Object.assign(response, {
    write: (chunk: unknown, encoding?: unknown, done: unknown = encoding) => {
      push(chunk, encoding);
      begin();
      if (typeof done === 'function') setImmediate(done as () => void);
      // The event `drain` belongs to what is passed: middleware such as compression gives it to a stream of its own.
      return true;
    },
    end: (chunk?: unknown, encoding?: unknown, done?: unknown) => {
      push(chunk, encoding);
      const finished = [chunk, encoding, done].find((each) => typeof each === 'function');
      if (finished !== undefined) response.once('finish', finished as () => void);
      void close();
      begin();
      return response;
    },
    writeHead: (status: number, reason?: unknown, headers: unknown = reason) => {
      response.statusCode = status;
      if (typeof headers === 'object' && headers !== null)
        for (const [name, value] of Object.entries(headers as Record<string, string>)) response.setHeader(name, value);
      return response;
    },
    flushHeaders: () => undefined,
  });
}

async function passEach(body: ReadableStream<Uint8Array>, response: HeldResponse, write: HeldResponse['write']) {
  const left = new Promise<void>((done) => response.once('close', done));
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    const isTaken = write.call(response, chunk);
    // Middleware such as compression would hold events back.
    response.flush?.();
    // A reader that is slow makes the scans wait.
    if (!isTaken) await Promise.race([new Promise<void>((done) => response.once('drain', done)), left]);
  }
}
