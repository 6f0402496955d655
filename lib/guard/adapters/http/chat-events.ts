/** Passes the events of a streamed answer of chat completions. */
import { isObject, type JsonObject } from '../../../core/json.ts';
import { isJson } from '../../readable/json.ts';
import { decoded } from '../../readable.ts';
import type { Chunks } from './answer.ts';
import { type Judging, readableError } from './chat-members.ts';
import { HeldAnswer } from './chat-stream.ts';
import { eventsOf, type SentEvent } from './sse.ts';
import { writtenAs } from './written.ts';

const DONE = '[DONE]';

/**
 * Returns the events that may pass. A block ends them. A model that stops in the middle makes them fail, because what is held was
 * not cleared.
 */
export async function* guardedEvents(body: Chunks, judging: Judging): AsyncGenerator<string, void> {
  for await (const data of passing(body, judging)) yield `data: ${data}\n\n`;
}

async function* passing(body: Chunks, judging: Judging): AsyncGenerator<string, void> {
  const held = new HeldAnswer(judging);
  /** Chunks without choices that follow the end of an answer, such as its usage. */
  const last: string[] = [];
  let isDone = false;
  for await (const { data, isError } of chunksOf(body)) {
    isDone = data.trim() === DONE;
    if (isDone) break;
    const chunk = decoded(data);
    if (!isObject(chunk)) continue;
    if (isError || isErrorIn(chunk)) {
      // The stream has no end: a client must not take it for a complete answer.
      yield JSON.stringify({ error: await readableError(chunk, judging) });
      return;
    }
    const passed = await held.push(chunk);
    const written = writtenAs(data, chunk, passed);
    if (hasChoices(passed) || !held.hasEnded) yield written;
    else last.push(written);
    if (held.isCut) break;
  }
  if (!held.isCut && !held.isComplete(isDone)) throw new Error('The model stopped before its answer was complete.');
  if (!held.isCut) for (const chunk of await held.end()) yield JSON.stringify(chunk);
  if (!held.isCut) yield* last;
  yield DONE;
}

function hasChoices({ choices }: JsonObject): boolean {
  return Array.isArray(choices) && choices.length > 0;
}

/** Reads events: each has one chunk, or one in each line where a server leaves the empty lines out. */
async function* chunksOf(body: Chunks) {
  for await (const event of eventsOf(body)) {
    const isError = event.name === 'error';
    for (const data of textsOf(event)) yield { data, isError };
  }
}

function textsOf({ data }: SentEvent): readonly string[] {
  if (data.trim() === '') return [];
  const lines = data.split('\n');
  const isWhole = (text: string) => text.trim() === DONE || isJson(text);
  return lines.length > 1 && lines.every(isWhole) ? lines : [data];
}

function isErrorIn({ error, object }: JsonObject): boolean {
  return isObject(error) || typeof error === 'string' || object === 'error';
}
