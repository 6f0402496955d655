/** One choice of a streamed answer. */
import { type JsonObject, objectOf } from '../../../core/json.ts';
import type { Decision, HeldStream } from '../../types.ts';
import { HeldCalls, refusedCall } from './chat-calls.ts';
import { inFormOf, type Judging, Rest, reasonIn, sorted, textIn } from './chat-members.ts';

/** A text, which passes as it is cleared. */
class HeldText {
  readonly stream: HeldStream;
  /** It comes in parts, or as a text, and passes like it. */
  #form: unknown;
  #shown = '';
  #taken = 0;
  said = '';

  constructor(stream: HeldStream) {
    this.stream = stream;
  }

  get isMasked(): boolean {
    return !this.said.startsWith(this.#shown);
  }

  async push(value: unknown): Promise<void> {
    this.#form = value;
    const text = (textIn(value) ?? []).join('');
    this.said += text;
    this.#shown += await this.stream.push(text);
  }

  async end(): Promise<void> {
    this.#shown += await this.stream.end();
  }

  /** Takes what was cleared since the last time; undefined if nothing was. */
  taken(): unknown {
    const text = this.#shown.slice(this.#taken);
    this.#taken = this.#shown.length;
    return text === '' ? undefined : inFormOf(this.#form, text);
  }
}

export class HeldChoice {
  readonly #index: number;
  readonly #judging: Judging;
  readonly #texts = new Map<string, HeldText>();
  readonly #calls = new HeldCalls();
  /** Other members of its deltas. */
  readonly #rest: Rest;
  /** Other members next to its deltas. */
  readonly #beside: Rest;
  /** Members of the chunk under way that say nothing. */
  #silent: JsonObject = {};
  /** The reason that the model gave for its end. It may still say more: only the end of the events is the end. */
  reason: string | undefined;
  /** The model wrote a reason, maybe an empty one in each chunk. */
  hasReason = false;
  #refused: Decision | undefined;

  constructor(index: number, judging: Judging) {
    this.#index = index;
    this.#judging = judging;
    this.#rest = new Rest(judging);
    this.#beside = new Rest(judging);
  }

  /** The decision that refuses one of its texts. */
  get refused(): Decision | undefined {
    return [...this.#texts.values()].find(({ stream }) => stream.blocked)?.stream.decision ?? this.#refused;
  }

  /** Adds its part of a chunk. */
  async push({ index: _, delta, finish_reason: reason, ...more }: JsonObject): Promise<void> {
    this.reason = reasonIn(reason) ?? this.reason;
    this.hasReason ||= typeof reason === 'string';
    const beside = sorted(more);
    this.#beside.addOnce(beside);
    const { role, ...members } = objectOf(delta);
    const { silent, texts, calls, rest } = sorted(members);
    const said = { ...silent, ...((role ?? null) === null ? {} : { role: 'assistant' }) };
    this.#silent = { ...this.#silent, ...beside.silent, delta: { ...objectOf(this.#silent['delta']), ...said } };
    this.#calls.add(calls);
    for (const [name, value] of Object.entries(texts)) {
      // What follows another form of a member is held like it.
      if (this.#rest.has(name)) this.#rest.add({ [name]: value });
      else await this.#push(name, value);
      if (this.refused !== undefined) return;
    }
    this.#rest.add(rest);
  }

  async #push(name: string, value: unknown): Promise<void> {
    const { guard, context } = this.#judging;
    const held = this.#texts.get(name) ?? new HeldText(guard.stream(context));
    this.#texts.set(name, held);
    await held.push(value);
  }

  /** Clears what is left of the texts. @returns what else was held back, if all of it is cleared */
  async end(): Promise<JsonObject> {
    for (const held of this.#texts.values()) {
      await held.end();
      if (this.refused !== undefined) return {};
    }
    const { guard, context } = this.#judging;
    const isMasked = [...this.#texts.values()].some((held) => held.isMasked);
    const rest = await this.#rest.end(isMasked, (name) => this.#texts.get(name)?.said ?? '');
    const beside = await this.#beside.end(isMasked);
    const calls = this.#calls.all;
    this.#refused = rest.refused ?? beside.refused ?? (await refusedCall(calls, guard, context));
    return { ...beside.passed, delta: { ...rest.passed, ...calls } };
  }

  /** Takes what was cleared since the last time. */
  taken(reason: string | null): JsonObject {
    const texts = [...this.#texts].map(([name, held]) => [name, held.taken()]);
    const { delta, ...more } = this.#silent;
    this.#silent = {};
    return this.written({ ...more, delta: { ...objectOf(delta), ...Object.fromEntries(texts) } }, reason);
  }

  written(members: JsonObject, reason: string | null): JsonObject {
    return { index: this.#index, ...members, finish_reason: reason };
  }
}
