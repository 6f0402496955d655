/** Holds what an Express handler writes back, whatever it writes with: `json`, `send`, `write`, or a stream that is piped. */

/** The part of Node's response that is held. */
export interface HeldResponse {
  statusCode: number;
  write: (...args: never[]) => boolean;
  end: (...args: never[]) => unknown;
  writeHead: (...args: never[]) => unknown;
  flushHeaders: () => void;
  readonly flush?: () => void;
  setHeader(name: string, value: unknown): unknown;
  getHeader(name: string): unknown;
  removeHeader(name: string): void;
  on(event: string, run: (source: Piped) => void): unknown;
  once(event: string, run: () => void): unknown;
  destroy(): unknown;
}

/** A stream that is piped into a response. */
interface Piped {
  pause(): unknown;
  resume(): unknown;
  destroy(): unknown;
}

/** Chunks in memory before streams that are piped wait. */
const MAX_WAITING = 16;

/** Chunks that wait to be read. */
export type Chunks = AsyncIterable<unknown>;

/** Queues what a handler writes. Streams that are piped wait while too many chunks do. */
function queue() {
  const piped: Piped[] = [];
  let controller: ReadableStreamDefaultController<unknown> | undefined;
  const chunks = new ReadableStream<unknown>(
    {
      start: (made) => {
        controller = made;
      },
      pull: () => {
        for (const source of piped) source.resume();
      },
      cancel: () => {
        controller = undefined;
      },
    },
    { highWaterMark: MAX_WAITING },
  );
  return {
    piped,
    chunks: chunks as unknown as Chunks,
    push: (chunk: unknown) => {
      controller?.enqueue(chunk);
      if ((controller?.desiredSize ?? 1) <= 0) for (const source of piped) source.pause();
    },
    end: () => {
      controller?.close();
      controller = undefined;
    },
  };
}

/** Writes what passes, with the methods that the response had. */
export interface Passing {
  write(chunk: string | Uint8Array): boolean;
  end(chunk?: string): void;
}

/** Takes the place of a response's methods. @param run is called once, with the first chunk or the end */
export function held(response: HeldResponse, run: (chunks: Chunks, passing: Passing) => Promise<void>): void {
  const { write, end, writeHead, flushHeaders } = response;
  const { chunks, push, end: close, piped } = queue();
  let hasBegun = false;
  // A stream that is piped goes on when the response has ended.
  response.on('pipe', (source) => {
    piped.push(source);
    response.once('close', () => source.destroy());
  });
  // Node calls these methods itself when it writes a head.
  const restore = () => Object.assign(response, { writeHead, flushHeaders });
  const passing: Passing = {
    write: (chunk) => {
      restore();
      const isWritten = write.call(response, chunk as never);
      // Middleware such as compression would hold events back.
      response.flush?.();
      return isWritten;
    },
    end: (chunk) => {
      restore();
      if (chunk === undefined) end.call(response);
      else end.call(response, chunk as never);
    },
  };
  const begin = () => {
    if (hasBegun) return;
    hasBegun = true;
    run(chunks, passing).catch(() => response.destroy());
  };
  const added = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const isText = typeof chunk === 'string' && typeof encoding === 'string' && !/^utf-?8$/i.test(encoding);
    push(isText ? Buffer.from(chunk, encoding as BufferEncoding) : chunk);
  };
  Object.assign(response, {
    write: (chunk: unknown, encoding?: unknown, done?: unknown) => {
      added(chunk, encoding);
      begin();
      called(done ?? encoding);
      // The event `drain` belongs to what is passed: middleware such as compression gives it to a stream of its own.
      return true;
    },
    end: (chunk?: unknown, encoding?: unknown, done?: unknown) => {
      added(chunk, encoding);
      const finished = [chunk, encoding, done].find((each) => typeof each === 'function');
      if (finished !== undefined) response.once('finish', finished as () => void);
      close();
      begin();
      return response;
    },
    writeHead: (status: number, reason?: unknown, headers: unknown = reason) => {
      response.statusCode = status;
      if (typeof headers === 'object' && headers !== null)
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      return response;
    },
    flushHeaders: () => undefined,
  });
}

function called(done: unknown): void {
  if (typeof done === 'function') setImmediate(done as () => void);
}
