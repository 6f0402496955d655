/** Releases the events of a streamed chat completion. */
import { isObject, type JsonObject } from '../../../core/json.ts';
import { isEncoded } from '../../readable/json.ts';
import { decoded } from '../../readable.ts';
import { type Chunks, writtenAs } from './answer.ts';
import { HeldChoice } from './chat-choice.ts';
import { FILTERED, IDS, type Judging, Rest, readableError, sorted } from './chat-members.ts';
import { eventsOf, type SentEvent } from './sse.ts';

const DONE = '[DONE]';

/**
 * Yields the events that may pass. A block ends them. If the model stops midway, throws, because the held text was not
 * cleared.
 */
export async function* guardedChatEvents(body: Chunks, judging: Judging): AsyncGenerator<string, void> {
  for await (const data of passing(body, judging)) yield `data: ${data}\n\n`;
}

async function* passing(body: Chunks, judging: Judging): AsyncGenerator<string, void> {
  const held = new HeldAnswer(judging);
  /** Chunks without choices after the end of an answer, such as its usage. */
  const last: string[] = [];
  let isDone = false;
  for await (const { data, isError } of chunksOf(body)) {
    isDone = data.trim() === DONE;
    if (isDone) break;
    const chunk = decoded(data);
    if (!isObject(chunk)) continue;
    if (isError || isErrorIn(chunk)) {
      // The stream was cut off: a client must not mistake it for a complete answer.
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

/** Reads events: each holds one chunk, or one chunk per line if the server omits the empty lines. */
async function* chunksOf(body: Chunks) {
  for await (const event of eventsOf(body)) {
    const isError = event.name === 'error';
    for (const data of textsOf(event)) yield { data, isError };
  }
}

function textsOf({ data }: SentEvent): readonly string[] {
  if (data.trim() === '') return [];
  const lines = data.split('\n');
  const isWhole = (text: string) => text.trim() === DONE || isEncoded(text);
  return lines.length > 1 && lines.every(isWhole) ? lines : [data];
}

function isErrorIn({ error, object }: JsonObject): boolean {
  return isObject(error) || typeof error === 'string' || object === 'error';
}

/** Members that all chunks share. */
const HEAD = [...IDS, 'created'];

/** A streamed answer: texts pass as they are cleared, everything else when the answer is complete. */
class HeldAnswer {
  readonly #judging: Judging;
  readonly #choices = new Map<number, HeldChoice>();
  readonly #rest: Rest;
  /** Members of the latest chunk, for chunks that the guard adds. */
  #head: JsonObject = {};
  /** A choice was blocked: nothing more passes. */
  isCut = false;

  constructor(judging: Judging) {
    this.#judging = judging;
    this.#rest = new Rest(judging);
  }

  /**
   * Reports whether the model has ended all its choices.
   * @param isDone whether the model sent `[DONE]`: then a missing finish reason is accepted
   */
  isComplete(isDone: boolean): boolean {
    const choices = [...this.#choices.values()];
    return choices.length > 0 && choices.every((each) => each.reason !== undefined || (isDone && each.hasReason));
  }

  get hasEnded(): boolean {
    return [...this.#choices.values()].some(({ reason }) => reason !== undefined);
  }

  /** Adds a chunk. @returns the parts of this chunk and of earlier chunks that may pass */
  async push(chunk: JsonObject): Promise<JsonObject> {
    const choices = chunk['choices'] ?? [];
    if (!Array.isArray(choices)) throw new Error('The choices of an answer must be a list.');
    const beside = sorted({ ...chunk, choices: null });
    const { silent } = beside;
    this.#rest.addOnce(beside);
    this.#head = Object.fromEntries(Object.entries(silent).filter(([name]) => HEAD.includes(name)));
    const told = new Set<HeldChoice>();
    for (const [at, choice] of (choices as unknown[]).entries()) {
      if (!isObject(choice)) continue;
      const held = this.#of(choice['index'], at);
      told.add(held);
      await held.push(choice);
      if (held.refused !== undefined) return this.#cut();
    }
    return { ...silent, choices: [...told].map((held) => held.taken(null)) };
  }

  /** Returns the chunks with everything held back, if all of it is cleared; otherwise the end of a blocked answer. */
  async end(): Promise<readonly JsonObject[]> {
    const { passed } = await this.#rest.end(false);
    const ends: JsonObject[] = [];
    for (const held of this.#choices.values()) {
      const late = await held.end();
      if (held.refused !== undefined) return [this.#cut()];
      ends.push(held.written(late, held.reason ?? null));
    }
    const texts = [...this.#choices.values()].map((held) => held.taken(null));
    const beside = Object.keys(passed).length === 0 ? [] : [{ ...this.#head, ...passed, choices: [] }];
    return [...beside, ...[...texts, ...ends].map((choice) => this.#chunk([choice]))];
  }

  #of(index: unknown, at: number): HeldChoice {
    const known = typeof index === 'number' ? index : at;
    const held = this.#choices.get(known) ?? new HeldChoice(known, this.#judging);
    this.#choices.set(known, held);
    return held;
  }

  /** Ends all choices, with the cleared text of this chunk. */
  #cut(): JsonObject {
    this.isCut = true;
    return this.#chunk([...this.#choices.values()].map((held) => held.taken(FILTERED)));
  }

  #chunk(choices: readonly JsonObject[]): JsonObject {
    return { ...this.#head, choices };
  }
}
