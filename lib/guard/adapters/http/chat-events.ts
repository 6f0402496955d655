/** Passes the events of a streamed answer of chat completions, as fast as their reader takes them. */
import { isObject, type JsonObject, objectsOf } from '../../../core/json.ts';
import { MAX_BYTES } from './answer.ts';
import { type Judging, metadataOf, readableError } from './chat-answer.ts';
import { HeldChoices } from './chat-choices.ts';

export interface Streaming extends Judging {
  /** Ends the request to the model. */
  readonly stop: () => void;
}

const DONE = 'data: [DONE]\n\n';

/**
 * Returns the events that may pass. A block ends the stream and the request to the model, and so does a reader who leaves. A model
 * that stops in the middle makes it fail, because what is held was not cleared.
 */
export function guardedEvents(body: ReadableStream<Uint8Array>, streaming: Streaming): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const events = passing(body, streaming);
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await events.next();
      if (done !== true) return controller.enqueue(encoder.encode(value));
      controller.close();
      return streaming.stop();
    } catch (thrown) {
      streaming.stop();
      throw thrown;
    }
  };
  const cancel = () => {
    streaming.stop();
    // It waits for the piece under way, which a model that ignores its signal may never send.
    events.return().catch(() => undefined);
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

async function* passing(body: ReadableStream<Uint8Array>, judging: Judging): AsyncGenerator<string, void> {
  const held = new HeldChoices(judging);
  for await (const chunk of chunksOf(body)) {
    if (isObject(chunk['error'])) {
      // The stream has no end: a client must not take it for a complete answer.
      yield eventOf({ error: await readableError(chunk, judging) });
      return;
    }
    const choices = await held.pass(objectsOf(chunk['choices']));
    yield eventOf({ ...metadataOf(chunk), choices });
    if (held.isCut) break;
  }
  if (!held.isCut && !held.isComplete) throw new Error('The model stopped before its answer was complete.');
  yield DONE;
}

function eventOf(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Returns the chunks of an answer up to its end. @throws Error for a chunk that cannot be read */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<JsonObject, void> {
  for await (const line of linesOf(body)) {
    const [, data] = /^data:\s*(.*)$/su.exec(line) ?? [];
    if (data === undefined) continue;
    if (data.trim() === '[DONE]') return;
    const value: unknown = JSON.parse(data);
    if (isObject(value)) yield value;
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r\n|\n/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_BYTES) throw new Error('A line of the answer is too long.');
    yield* lines;
  }
  yield rest + decoder.decode();
}
