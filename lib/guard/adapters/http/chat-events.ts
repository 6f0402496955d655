/** Passes the events of a streamed answer of chat completions, as fast as their reader takes them. */
import { isObject } from '../../../core/json.ts';
import { isJson } from '../../readable/json.ts';
import { HeldChoices } from './chat-choices.ts';
import { type Judging, readableError } from './chat-members.ts';
import { RawJson } from './raw-json.ts';
import { eventsOf, type SentEvent } from './sse.ts';

export interface Streaming extends Judging {
  /** Ends the request to the model. */
  readonly stop: () => void;
}

const DONE = '[DONE]';

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
      if (done !== true) return controller.enqueue(encoder.encode(`data: ${value}\n\n`));
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
  /** Chunks without choices that follow the end of an answer, such as its usage. */
  const last: string[] = [];
  let isDone = false;
  for await (const event of eventsOf(body)) {
    for (const data of textsOf(event)) {
      isDone = data.trim() === DONE;
      if (isDone || held.isCut) break;
      const json = new RawJson(data);
      if (!isObject(json.root.value)) continue;
      if (isError(event, json.root.value)) {
        // The stream has no end: a client must not take it for a complete answer.
        yield JSON.stringify({ error: await readableError(json.root.value, judging) });
        return;
      }
      const hasChoices = (json.root.members.get('choices')?.members.size ?? 0) > 0;
      const passed = (await held.pass(json)).replace(/[\r\n]+/g, ' ');
      if (hasChoices || !held.hasEnded) yield passed;
      else last.push(passed);
    }
    if (isDone || held.isCut) break;
  }
  if (!held.isCut && !held.isComplete(isDone)) throw new Error('The model stopped before its answer was complete.');
  if (!held.isCut) yield* await held.end();
  if (!held.isCut) yield* last;
  yield DONE;
}

/** Returns the data of an event: one text, or one in each line where a server leaves the empty lines out. */
function textsOf({ data }: SentEvent): readonly string[] {
  if (data.trim() === '') return [];
  const lines = data.split('\n');
  const isWhole = (text: string) => text.trim() === DONE || isJson(text);
  return lines.length > 1 && lines.every(isWhole) ? lines : [data];
}

function isError({ name }: SentEvent, chunk: unknown): boolean {
  const { error, object } = chunk as Readonly<Record<string, unknown>>;
  return isObject(error) || typeof error === 'string' || name === 'error' || object === 'error';
}
