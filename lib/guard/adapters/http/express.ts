/** Guards Express handlers: holds back their output, whether written by json, send, write or a piped stream. */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { answerHead, type Chunks } from './answer.ts';
import type { Bodies } from './bodies.ts';

/** Node's response; middleware such as compression adds `flush`. */
type HeldResponse = Omit<ServerResponse, 'write' | 'end'> & {
  write(chunk: string | Uint8Array): boolean;
  end(chunk?: string): unknown;
  readonly flush?: () => void;
};

/** Maximum chunks in memory before piped streams pause. */
const MAX_WAITING = 16;

/** Returns the body to send instead of the handler's output. */
type Answer = (chunks: Chunks) => Promise<string | ReadableStream<Uint8Array>>;

/** Queues a handler's output. Piped streams pause while too many chunks are queued. */
function queueFor(response: HeldResponse) {
  const piped: Readable[] = [];
  // A piped stream continues after the response has ended.
  response.on('pipe', (source: Readable) => {
    piped.push(source);
    response.once('close', () => source.destroy());
  });
  const { readable, writable } = new TransformStream<unknown, unknown>({}, { highWaterMark: MAX_WAITING });
  const writer = writable.getWriter();
  // After a block, nothing more is read.
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

/** Replaces a response's methods. @param answer is called once, with the first chunk or the end */
export function held(response: HeldResponse, answer: Answer): void {
  const { write, end, writeHead, flushHeaders } = response;
  const { chunks, push, close } = queueFor(response);
  const pass = async () => {
    const body = await answer(chunks);
    // Node itself calls these methods when it writes the headers.
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
      // `drain` refers to the output that was passed on: middleware such as compression emits it for its own stream.
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
    // A slow reader makes the scans wait.
    if (!isTaken) await Promise.race([new Promise<void>((done) => response.once('drain', done)), left]);
  }
}

/** The part of a request that the middleware uses. */
export interface ExpressRequest {
  body?: unknown;
}

/** The part of Node's response that determines its type. */
export interface ExpressResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  getHeader(name: string): unknown;
  removeHeader(name: string): unknown;
  flushHeaders(): void;
}

/** Creates the middleware. */
export function expressOf(bodies: Bodies) {
  return async (request: ExpressRequest, given: ExpressResponse, next: () => void): Promise<void> => {
    const response = given as HeldResponse;
    const leaving = new AbortController();
    response.on('close', () => leaving.abort());
    const context = bodies.contextOf(request, leaving.signal);
    const refuse = ({ status, type }: { readonly status: number; readonly type: string }) => {
      response.statusCode = status;
      for (const name of ['content-encoding', 'etag']) response.removeHeader(name);
      response.setHeader('content-type', type);
    };
    const asked = await bodies.asked(() => request.body, context);
    if ('refusal' in asked) {
      refuse(asked.refusal);
      response.end(asked.refusal.body);
      return;
    }
    request.body = asked.body;
    held(response, async (chunks) => {
      const head = answerHead((name) => response.getHeader(name));
      const answer = await bodies.answered(chunks, head, context);
      if (!('body' in answer && answer.body === '')) response.removeHeader('content-length');
      if ('body' in answer) return answer.body;
      refuse(answer.refusal);
      return answer.refusal.body;
    });
    next();
  };
}
