/** Reads the events of a stream to guard, piece by piece: a context, texts, and the end. */
import type { Readable } from 'node:stream';
import { isObject } from '../../../core/json.ts';
import type { GuardContext } from '../../../guard/types.ts';
import { jsonIn } from '../body.ts';
import { EventError, EventReader, type ReadEvent } from '../events/event-reader.ts';
import { HttpError } from '../problems.ts';
import { CONTEXT } from './members.ts';

/** The sender left before the end of its body. */
class SenderLeft extends Error {}

export class Chunks {
  readonly #input: Readable;
  #waiting: Uint8Array[] = [];
  #isOver = false;
  #failed = false;
  #wake: () => void = () => undefined;

  constructor(input: Readable) {
    this.#input = input;
    input.on('data', (chunk: Uint8Array) => {
      input.pause();
      this.#waiting.push(chunk);
      this.#wake();
    });
    input.on('end', () => this.#end(false));
    input.on('error', () => this.#end(true));
    input.on('close', () => this.#end(true));
    input.pause();
  }

  /**
   * Returns the next chunk; undefined at the end.
   * @param ms time to wait for it
   * @throws SenderLeft, and the reason of the signal
   */
  async next(ms: number, signal: AbortSignal, late: () => Error): Promise<Uint8Array | undefined> {
    signal.throwIfAborted();
    if (this.#waiting.length === 0 && !this.#isOver) await this.#wait(ms, signal, late);
    const chunk = this.#waiting.shift();
    if (chunk === undefined && this.#failed) throw new SenderLeft('The sender left.');
    return chunk;
  }

  /**
   * Reads and drops the rest: a connection that closes with unread bytes may lose the last event.
   * @param ms time limit, in milliseconds
   */
  async drop(ms: number): Promise<void> {
    this.#input.removeAllListeners('data');
    this.#waiting = [];
    this.#input.resume();
    if (this.#isOver) return;
    await this.#wait(ms, new AbortController().signal, () => new Error('late')).catch(() => undefined);
  }

  #wait(ms: number, signal: AbortSignal, late: () => Error): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        this.#wake = () => undefined;
        settle();
      };
      const stop = () => done(() => reject(signal.reason as Error));
      const timer = setTimeout(() => done(() => reject(late())), ms);
      signal.addEventListener('abort', stop);
      this.#wake = () => done(resolve);
      this.#input.resume();
    });
  }

  #end(failed: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failed = failed;
    this.#wake();
  }
}

/** Maximum characters of one event. */
const MAX_EVENT = 1_000_000;

export type Given =
  | { readonly kind: 'context'; readonly context: GuardContext }
  | { readonly kind: 'text'; readonly text: string };

interface ReadingLimits {
  /** Maximum bytes of the whole stream. */
  readonly bytes: number;
  /** Time without a whole line, in milliseconds, not counting scan time. */
  readonly idleMs: number;
  /** Counts received bytes. @throws AisecError if there are too many */
  readonly take: (bytes: number) => void;
  /** Elapsed milliseconds. */
  readonly now: () => number;
}

/**
 * Reads until the event `end`, or until the end of the body.
 * @throws HttpError for input that is unreadable or beyond a limit; SenderLeft; the signal's reason
 */
export async function* textsIn(chunks: Chunks, limits: ReadingLimits, signal: AbortSignal): AsyncGenerator<Given> {
  const reader = new EventReader(MAX_EVENT);
  let [bytes, waited, isFirst] = [0, 0, true];
  for (;;) {
    const since = limits.now();
    const chunk = await chunks.next(Math.max(1, limits.idleMs - waited), signal, idle);
    waited += limits.now() - since;
    if (chunk !== undefined) {
      bytes += chunk.length;
      if (bytes > limits.bytes) throw tooLarge(`The stream has more than ${limits.bytes} bytes.`);
      limits.take(chunk.length);
    }
    const { lines } = reader;
    for (const event of eventsOf(reader, chunk)) {
      if (event.event === 'end') return;
      yield givenIn(event, isFirst);
      isFirst = false;
    }
    if (chunk === undefined) return;
    if (reader.lines > lines) waited = 0;
    else if (waited >= limits.idleMs) throw idle();
  }
}

function eventsOf(reader: EventReader, chunk: Uint8Array | undefined): ReadEvent[] {
  try {
    return chunk === undefined ? reader.end() : reader.read(chunk);
  } catch (thrown) {
    if (!(thrown instanceof EventError)) throw thrown;
    if (thrown.isTooLarge) throw tooLarge(thrown.message);
    throw wrong(thrown.message, 'Send UTF-8, with content-type: text/event-stream.');
  }
}

function givenIn({ event, data }: ReadEvent, isFirst: boolean): Given {
  if (event === 'message') {
    const value = parsed(data);
    if (isObject(value) && Object.keys(value).join() === 'text' && typeof value['text'] === 'string')
      return { kind: 'text', text: value['text'] };
    throw wrong('The data of an event must be an object with only the member text.', 'Send: data: {"text": "..."}');
  }
  if (event !== 'context')
    throw wrong('There is no such event.', 'The events are context, message (without a name) and end.');
  if (!isFirst) throw wrong('The event context must be the first one.', 'Send it before any text.');
  return { kind: 'context', context: contextIn(parsed(data)) };
}

function contextIn(value: unknown): GuardContext {
  const names = Object.keys(CONTEXT.properties);
  const isContext =
    isObject(value) &&
    Object.keys(value).every((name) => names.includes(name)) &&
    Object.values(value).every((each) => typeof each === 'string');
  if (isContext) return value;
  throw wrong('The data of the event context must be an object of texts.', `There is ${names.join(', ')}.`);
}

function parsed(data: string): unknown {
  try {
    return jsonIn(data, true);
  } catch {
    throw wrong('The data of an event is not JSON, or has duplicate members.', 'Send: data: {"text": "..."}');
  }
}

function wrong(detail: string, hint: string): HttpError {
  return new HttpError(400, 'arguments', detail, { hint });
}

function tooLarge(detail: string): HttpError {
  return new HttpError(413, 'size', detail, { hint: 'Send less in one stream.' });
}

function idle(): HttpError {
  return new HttpError(408, 'timeout', 'No event arrived in time.', {
    hint: 'Send the event end after the last text, and a comment (": wait") while there is no text.',
  });
}
