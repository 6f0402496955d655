/** The events of one answer: an event passes byte for byte once all of its text was cleared, and after a block nothing passes. */
import { objectOf } from '../../../core/json.ts';
import type { Decision, HeldStream } from '../../types.ts';
import { type AnswerOptions, fieldOf, MAX_BYTES, UNREADABLE } from './answer.ts';
import { NAME } from './chat-calls.ts';
import { type Place, RawJson } from './raw-json.ts';
import { eventIn } from './sse.ts';

/** The end of an event. */
const BLANK = /\r\n\r\n|\n\n|\r\r|\r\n\n|\n\r\n/;
/** A text of one event, such as a title, holds events after it back no longer than this, in characters of the answer. */
const LONGEST_WAIT = 200;

/** Lines that say nothing: data is read by itself, and names are identifiers. */
const KNOWN_LINE = /^(?:data(?::|$)|(?:event|id): ?[\w.-]*$|retry: ?\d+$|:? ?(?:ping|keep-?alive)?$)/i;
/** Members that may have an identifier or a closed word. */
const SIGN = /^(?:id|object|type|role|model|event|status|finish_reason|service_tier|system_fingerprint)$/;

/** The text of one member, of all events. */
interface Held {
  readonly stream: HeldStream;
  said: string;
  /** How many events have a part of it. */
  events: number;
  released: number;
  /** How much of it was cleared: released, or scanned by itself. */
  cleared: number;
}

/** An event that waits for its texts. */
interface Waiting {
  readonly event: string;
  readonly ends: ReadonlyMap<Held, number>;
  /** Length of the answer up to it. */
  readonly at: number;
}

export class HeldEvents {
  readonly #options: AnswerOptions;
  readonly #held = new Map<string, Held>();
  #waiting: Waiting[] = [];
  #rest = '';
  /** Comments, and names of members, so far. */
  #nextTo = '';
  #scanned = '';
  #length = 0;
  #decision: Decision | undefined;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  get refused(): Decision | undefined {
    return this.#decision;
  }

  /** Adds text of the answer. @returns the events that may pass */
  async push(text: string): Promise<string> {
    this.#rest += text;
    let passed = '';
    for (let end = BLANK.exec(this.#rest); end !== null; end = BLANK.exec(this.#rest)) {
      const length = end.index + end[0].length;
      const event = this.#rest.slice(0, length);
      this.#rest = this.#rest.slice(length);
      passed += await this.#event(event);
      if (this.#decision !== undefined) return passed;
    }
    if (this.#rest.length > MAX_BYTES) this.#decision = UNREADABLE;
    return passed;
  }

  async end(): Promise<string> {
    // Scan an unfinished event like a finished event.
    const last = this.#rest === '' ? '' : await this.#event(this.#rest);
    for (const held of this.#held.values()) {
      if (this.#decision !== undefined) return last;
      this.#clear(held, await held.stream.end());
    }
    return last + this.#passed();
  }

  cancel(): void {
    for (const { stream } of this.#held.values()) stream.cancel();
  }

  async #event(event: string): Promise<string> {
    const ends = new Map<Held, number>();
    const texts = attempt(() => this.#textsOf(event));
    if (texts === undefined) this.#decision = UNREADABLE;
    if (this.#nextTo !== this.#scanned) await this.#scan(this.#nextTo);
    this.#scanned = this.#nextTo;
    if (this.#decision !== undefined) return this.#passed();
    for (const [path, text] of texts ?? []) {
      const held = this.#of(path);
      held.said += text;
      held.events += 1;
      this.#length += text.length;
      ends.set(held, held.said.length);
      this.#clear(held, await held.stream.push(text));
      if (this.refused !== undefined) return this.#passed();
    }
    this.#waiting.push({ event, ends, at: this.#length });
    await this.#hurry();
    return this.#passed();
  }

  #of(path: string): Held {
    const { guard, context } = this.#options;
    const held = this.#held.get(path) ?? {
      stream: guard.stream(context),
      said: '',
      events: 0,
      released: 0,
      cleared: 0,
    };
    this.#held.set(path, held);
    return held;
  }

  /** Scans the text of a single event by itself where only it holds back what was cleared after it. */
  async #hurry(): Promise<void> {
    const ready = this.#waiting.findLastIndex(({ ends }) => ends.size > 0 && isCleared(ends));
    for (const { ends, at } of this.#waiting.slice(0, Math.max(ready, 0))) {
      for (const [held, end] of ends) {
        if (held.cleared >= end || held.events > 1 || this.#length - at < LONGEST_WAIT) continue;
        await this.#scan(held.said);
        if (this.#decision !== undefined) return;
        held.cleared = end;
      }
    }
  }

  async #scan(text: string): Promise<void> {
    const { guard, context } = this.#options;
    const decision = await guard.output(text, context);
    if (decision.action !== 'allow') this.#decision = decision;
  }

  /** Returns the texts of an event, each with the member it stands in; texts of one member follow each other. */
  #textsOf(event: string): readonly (readonly [path: string, text: string])[] {
    const lines = event.split(/\r\n|\r|\n/);
    const { data } = eventIn(lines);
    this.#nextTo += lines
      .filter((line) => !KNOWN_LINE.test(line))
      .map((line) => `${line}\n`)
      .join('');
    if (!/^\s*[[{]/.test(data) || data === '[DONE]') return data === '' || data === '[DONE]' ? [] : [['', data]];
    const { root } = new RawJson(data);
    const leaves = leavesOf(root, '');
    for (const [path] of leaves) if (!this.#held.has(path)) this.#nextTo += `${path}\n`;
    const { field } = this.#options;
    const found = typeof field === 'function' ? fieldOf(root.value, field) : undefined;
    const isNew = typeof found === 'string' && !leaves.some(([, text]) => text === found);
    return isNew ? [...leaves, ['()', found]] : leaves;
  }

  #clear(held: Held, released: string): void {
    const { blocked, decision } = held.stream;
    // Masked text has no place in events that pass as they are.
    if (decision !== undefined && (blocked || decision.action === 'mask')) this.#decision = decision;
    if (decision?.action === 'mask') return;
    held.released += released.length;
    held.cleared = Math.max(held.cleared, held.released);
  }

  #passed(): string {
    let passed = '';
    while (this.#waiting[0] !== undefined && isCleared(this.#waiting[0].ends))
      passed += this.#waiting.shift()?.event ?? '';
    return passed;
  }
}

function isCleared(ends: Waiting['ends']): boolean {
  return [...ends].every(([held, end]) => held.cleared >= end);
}

/** Returns the texts of a value, each with the names of the members that it stands in. */
function leavesOf(place: Place, path: string): readonly (readonly [path: string, text: string])[] {
  const { value, isText, members } = place;
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (isText) return value === '' || (SIGN.test(name) && NAME.test(String(value))) ? [] : [[path, String(value)]];
  return [...members].flatMap(([key, member]) => {
    // An element of a list may be a part of several lists, which name it by its index.
    const index = Array.isArray(value) ? objectOf(member.value)['index'] : undefined;
    return leavesOf(member, `${path}.${typeof index === 'number' ? `#${index}` : key}`);
  });
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
