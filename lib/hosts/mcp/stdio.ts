/** Serves one client on stdin and stdout. */
import { type Readable, Transform, type TransformCallback, type Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { untilAborted } from '../../node/system/stop.ts';
import type { Agent } from './agent.ts';
import { MAX_MESSAGE_BYTES, refusalOf, tooLong } from './message.ts';
import { serverOf } from './server.ts';

/** The streams of the protocol. */
export interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly signal: AbortSignal;
}

/** Serves until the signal, or until the client closes stdin. */
export async function overStdio(agent: Agent, { stdin, stdout, signal }: StdioStreams): Promise<void> {
  // Each pending answer waits for a full pipe to drain.
  stdout.setMaxListeners(0);
  const lines = new MessageLines((refusal) => stdout.write(`${JSON.stringify(refusal)}\n`));
  const closed = new Promise<void>((resolve) => lines.once('end', resolve).once('close', resolve));
  // A broken pipe closes without an `end` event.
  stdin.once('close', () => lines.end());
  // A line that was passed on is within the limit; the transport's buffer must not refuse it because of its line end.
  const options = { maxBufferSize: 2 * MAX_MESSAGE_BYTES };
  const handle = serveStdio(() => serverOf(agent), { transport: new StdioServerTransport(lines, stdout, options) });
  stdin.pipe(lines);
  await Promise.race([closed, untilAborted(signal)]);
  await handle.close();
  // Otherwise stdin would keep the process alive.
  stdin.unpipe(lines).pause();
}

const LINE_FEED = 0x0a;
/** Bytes kept of a line that is too long, so that the error response can carry the request's id. */
const KEPT_BYTES = 6 * MAX_MESSAGE_BYTES;

/**
 * Passes on the lines that are messages, and answers all others: one long or invalid message must not end a connection.
 */
export class MessageLines extends Transform {
  #chunks: Buffer[] = [];
  #length = 0;
  readonly #answer: (refusal: object) => void;
  readonly #limit: number;

  /** @param limit size of a message, in bytes */
  constructor(answer: (refusal: object) => void, limit = MAX_MESSAGE_BYTES) {
    super();
    this.#answer = answer;
    this.#limit = limit;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      this.#add(chunk.subarray(from, at + 1), at - from);
      this.#endLine();
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    if (rest.length > 0) this.#add(rest, rest.length);
    done();
  }

  /** Ignores a last line without a line end, but responds if it is too long. */
  override _flush(done: TransformCallback): void {
    if (this.#length > this.#limit) this.#endLine();
    done();
  }

  /** @param length without the line end */
  #add(part: Buffer, length: number): void {
    this.#length += length;
    if (this.#length <= KEPT_BYTES) this.#chunks.push(part);
    else this.#chunks = [];
  }

  #endLine(): void {
    const line = Buffer.concat(this.#chunks);
    const refusal = this.#length > this.#limit ? tooLong(line) : refusalOf(line);
    if (refusal === undefined) this.push(line);
    else this.#answer(refusal);
    this.#chunks = [];
    this.#length = 0;
  }
}
