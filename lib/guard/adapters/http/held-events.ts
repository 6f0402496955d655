/**
 * Holds the events of one answer: an event passes byte for byte once all its text is cleared; after a block nothing
 * passes.
 */
import { objectOf } from '../../../core/json.ts';
import { decoded } from '../../readable.ts';
import type { Decision, Guard, GuardContext, HeldStream } from '../../types.ts';
import { isSign } from '../values.ts';
import { type Chunks, UNREADABLE } from './answer.ts';
import { eventsOf, type SentEvent } from './sse.ts';

/** Lines without content: data is read separately, and names are identifiers. */
const KNOWN_LINE = /^(?:data(?::|$)|(?:event|id): ?[\w.-]*$|retry: ?\d+$|:? ?(?:ping|keep-?alive)?$)/i;

/** The text of one member across all events. */
interface Held {
  readonly stream: HeldStream;
  /** Length of the text so far. */
  length: number;
  released: number;
}

/** An event that waits for its texts. */
interface Waiting {
  readonly raw: string;
  readonly ends: ReadonlyMap<Held, number>;
}

/** Returns the events that may pass, and after a block an error as the last event. */
export async function* guardedEvents(
  guard: Guard,
  chunks: Chunks,
  context: GuardContext,
): AsyncGenerator<string, void> {
  const held = new HeldEvents(guard, context);
  for await (const event of eventsOf(chunks)) {
    // Do not make a reader that left wait for held events.
    if (context.signal?.aborted === true) return;
    const passed = await held.push(event);
    if (passed !== '') yield passed;
    if (held.refused !== undefined) break;
  }
  const last = await held.end();
  if (last !== '') yield last;
  if (held.refused === undefined) return;
  const error = { type: 'content_filter', message: guard.message(held.refused) };
  yield `event: error\ndata: ${JSON.stringify({ error })}\n\n`;
}

class HeldEvents {
  readonly #guard: Guard;
  readonly #context: GuardContext;
  readonly #held = new Map<string, Held>();
  readonly #waiting: Waiting[] = [];
  /** Comments and member names so far. */
  #nextTo = '';
  refused: Decision | undefined;

  constructor(guard: Guard, context: GuardContext) {
    this.#guard = guard;
    this.#context = context;
  }

  /** Adds an event. @returns the events that may pass */
  async push(event: SentEvent): Promise<string> {
    const before = this.#nextTo;
    const texts = this.#textsOf(event);
    if (texts === undefined) this.refused = UNREADABLE;
    else if (this.#nextTo !== before) await this.#scan(this.#nextTo);
    const ends = new Map<Held, number>();
    for (const [path, text] of texts ?? []) {
      if (this.refused !== undefined) break;
      const held = this.#of(path);
      held.length += text.length;
      ends.set(held, held.length);
      this.#clear(held, await held.stream.push(text));
    }
    if (this.refused === undefined) this.#waiting.push({ raw: event.raw, ends });
    return this.#passed();
  }

  async end(): Promise<string> {
    for (const held of this.#held.values()) {
      if (this.refused !== undefined) return '';
      this.#clear(held, await held.stream.end());
    }
    return this.#passed();
  }

  #of(path: string): Held {
    const fresh = () => ({ stream: this.#guard.stream(this.#context), length: 0, released: 0 });
    const held = this.#held.get(path) ?? fresh();
    this.#held.set(path, held);
    return held;
  }

  async #scan(text: string): Promise<void> {
    const decision = await this.#guard.output(text, this.#context);
    if (decision.action !== 'allow') this.refused = decision;
  }

  /** Returns an event's texts, each with the path of its member; undefined if the event is unreadable. */
  #textsOf({ lines, data }: SentEvent): readonly (readonly [path: string, text: string])[] | undefined {
    const comments = lines.filter((line) => !KNOWN_LINE.test(line));
    for (const comment of comments) this.#nextTo += `${comment}\n`;
    if (data === '' || data === '[DONE]') return [];
    if (!/^\s*[[{]/.test(data)) return [['', data]];
    try {
      const leaves = leavesOf(decoded(data), '');
      for (const [path] of leaves) if (!this.#held.has(path)) this.#nextTo += `${path}\n`;
      return leaves;
    } catch {
      return undefined;
    }
  }

  #clear(held: Held, released: string): void {
    const { blocked, masked, decision } = held.stream;
    // Events pass unchanged, so text cannot be masked.
    if (decision !== undefined && (blocked || masked)) this.refused = decision;
    if (masked) return;
    held.released += released.length;
  }

  #passed(): string {
    let passed = '';
    while (this.#waiting[0] !== undefined && isCleared(this.#waiting[0].ends))
      passed += this.#waiting.shift()?.raw ?? '';
    return passed;
  }
}

function isCleared(ends: Waiting['ends']): boolean {
  return [...ends].every(([held, end]) => held.released >= end);
}

/** Returns a value's texts, each with the names of the members around it. */
function leavesOf(value: unknown, path: string): readonly (readonly [path: string, text: string])[] {
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (typeof value === 'string') return value === '' || isSign(name, value) ? [] : [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    // A list element may be a fragment of a longer list, which gives its place as an index.
    const index = Array.isArray(value) ? objectOf(member)['index'] : undefined;
    return leavesOf(member, `${path}.${typeof index === 'number' ? `#${index}` : key}`);
  });
}
