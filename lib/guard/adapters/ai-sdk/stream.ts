/** Releases the parts of a streamed answer as they are cleared. */

import { blockedIfMasked } from '../../decisions.ts';
import { WINDOWS } from '../../options.ts';
import { joined } from '../../readable.ts';
import type { Decision, Guard, GuardContext, HeldStream } from '../../types.ts';
import { decidedTexts, streamOf, withoutLogprobs } from '../values.ts';
import { Waiting } from '../waiting.ts';
import { decisionAbout, decisionOn, type Part, refusalParts, type Specification } from './answer.ts';

/**
 * Parts that hold the answer in another form: fragments of a call, which the complete call repeats, and raw provider
 * data.
 */
const REPEATS = ['tool-input-start', 'tool-input-delta', 'tool-input-end', 'raw'];
const SAID = /^(text|reasoning)-(start|delta|end)$/;
const TEXT = /^text-(?:start|delta|end)$/;
const REASONING = /^reasoning-(?:start|delta|end)$/;

/** A call in progress. */
export interface Answering {
  readonly context: GuardContext;
  readonly input: Promise<Decision>;
  readonly version: Specification;
}

/**
 * A streamed answer. The texts form one stream, and all other parts keep their place among the texts; reasoning waits for
 * the next part. Nothing passes after a block.
 */
export class GuardedParts {
  readonly #guard: Guard;
  readonly #context: GuardContext;
  readonly #input: Promise<Decision>;
  readonly #version: Specification;
  readonly #held: HeldStream;
  readonly #waiting = new Waiting<Part>();
  /** The text that the model writes. A text that begins inside a word is also scanned separately once it has ended. */
  #open: { readonly id: unknown; readonly before: string; text: string; isApart: boolean } | undefined;
  /**
   * Parts of texts that began before an earlier text ended: a reader must see the text in the order in which it was
   * scanned.
   */
  #later: Part[] = [];
  #thoughts: Part[] = [];
  /** The tail of the reasoning that was shown. */
  #thought = '';
  #said = '';
  #shown = '';
  #isMasked = false;
  /** The tails of the texts that have begun. */
  readonly #begun = new Map<unknown, Part>();
  #refused = false;

  constructor(guard: Guard, { context, input, version }: Answering) {
    this.#guard = guard;
    this.#context = context;
    this.#input = input;
    this.#version = version;
    this.#held = guard.stream(context, { input });
  }

  /** Yields the parts that may pass; reads from the model only when the reader asks for more. */
  of(source: ReadableStream<Part>): ReadableStream<Part> {
    const reader = source.getReader();
    return streamOf(this.#parts(reader), (reason) => {
      this.#stop();
      reader.cancel(reason).catch(() => undefined);
    });
  }

  /** Aborts the model's request when the answer ends or the caller leaves. */
  async *#parts(reader: ReadableStreamDefaultReader<Part>): AsyncGenerator<Part, void> {
    const { signal } = this.#context;
    const end = () => {
      reader.cancel(signal?.reason).catch(() => undefined);
    };
    signal?.addEventListener('abort', end);
    // A slow model must not delay the refusal of the prompt.
    this.#input.then(({ action }) => (action === 'block' ? end() : undefined), end);
    try {
      for await (const part of this.#read(reader)) {
        signal?.throwIfAborted();
        yield part;
      }
      signal?.throwIfAborted();
    } finally {
      signal?.removeEventListener('abort', end);
      this.#stop();
      end();
    }
  }

  async *#read(reader: ReadableStreamDefaultReader<Part>): AsyncGenerator<Part, void> {
    try {
      while (!this.#refused) {
        const { done, value } = await reader.read();
        if (done) return yield* this.#rest();
        yield* this.#pass(withoutLogprobs(value));
      }
    } catch (error) {
      // The model's error is rethrown unchanged, unless its text is blocked.
      for await (const part of this.#decided({ type: 'error', error })) if (this.#refused) yield part;
      if (!this.#refused) throw error;
    }
  }

  async *#pass(part: Part): AsyncGenerator<Part, void> {
    if (this.#refused || REPEATS.includes(part.type)) return;
    if (TEXT.test(part.type)) return yield* this.#text(part);
    if (part.type === 'finish') yield* this.#rest();
    yield* this.#inOrder(part);
  }

  /** Releases reasoning; scans it together with the tail of the reasoning shown before. */
  async *#reasoned(): AsyncGenerator<Part, void> {
    const parts = this.#thoughts;
    if (this.#refused || parts.length === 0) return;
    this.#thoughts = [];
    const texts = textsOf(parts);
    const before = this.#thought;
    const all = texts.join('') === '' ? [] : [before, ...texts];
    const signs = parts.map(({ delta: _, ...rest }) => rest);
    const [input, others, decided] = await Promise.all([
      this.#input,
      decisionOn(this.#guard, signs, this.#context),
      decidedTexts(this.#guard, all, this.#context),
    ]);
    const decision = before === '' ? decided : blockedIfMasked(decided);
    const isMasked = decision.action === 'mask';
    this.#isMasked ||= isMasked;
    const blocked = [input, decision, ...(isMasked ? [] : [others])].find(({ action }) => action === 'block');
    if (blocked !== undefined) return yield* this.#refuse(blocked);
    this.#thought = endOf(before + texts.join(''));
    // Reasoning cannot be masked, so it is dropped.
    const shown = isMasked ? parts.map((part) => this.#bare(part)) : parts;
    for (const part of shown) yield this.#noted(part);
  }

  async *#text(part: Part): AsyncGenerator<Part, void> {
    const { type, id } = part;
    const open = this.#open;
    if (open !== undefined && open.id !== id) {
      this.#later.push(part);
      return;
    }
    if (type === 'text-start') {
      this.#open ??= { id, before: endOf(this.#said), text: '', isApart: false };
      return yield* this.#inOrder(part);
    }
    // Drop text without a start part: it belongs to no text.
    if (open === undefined) return;
    if (type === 'text-end') return yield* this.#closed(part);
    const delta = String(part['delta']);
    if (open.text === '') open.isApart = joined([open.before, delta]) !== open.before + delta;
    open.text += delta;
    if (!open.isApart) yield* this.#say(id, delta);
    if (part['providerMetadata'] !== undefined) yield* this.#inOrder({ ...part, delta: '' });
  }

  /** Ends a text, and continues with the texts that waited for it to end. */
  async *#closed(end: Part): AsyncGenerator<Part, void> {
    const { id, before = '', text = '', isApart } = this.#open ?? {};
    if (isApart === true) {
      const decision = blockedIfMasked(await decidedTexts(this.#guard, [before, text], this.#context));
      if (decision.action === 'block') return yield* this.#refuse(decision);
      yield* this.#say(id, text);
    }
    this.#open = undefined;
    yield* this.#inOrder(end);
    const later = this.#later;
    this.#later = [];
    for (const part of later) yield* this.#pass(part);
  }

  async *#say(id: unknown, text: string): AsyncGenerator<Part, void> {
    if (text === '') return;
    this.#said += text;
    this.#waiting.text({ type: 'text-delta', id }, text, id);
    yield* this.#leaving(await this.#held.push(text), false);
  }

  /** Passes a part, once the text before it has passed. */
  async *#inOrder(part: Part): AsyncGenerator<Part, void> {
    this.#waiting.other(part);
    yield* this.#leaving('', false);
  }

  async *#leaving(released: string, isEnd: boolean): AsyncGenerator<Part, void> {
    const { blocked, decision } = this.#held;
    this.#shown += released;
    this.#isMasked ||= !this.#said.startsWith(this.#shown);
    for (const { item, text } of this.#waiting.leaving(released, isEnd && !blocked)) {
      if (REASONING.test(item.type)) {
        this.#thoughts.push(item);
        continue;
      }
      yield* this.#reasoned();
      if (this.#refused) return;
      if (text === undefined) yield* this.#decided(this.#bare(item));
      else if (text !== '') yield { ...item, delta: text };
    }
    if (isEnd && !blocked) yield* this.#reasoned();
    if (blocked && decision !== undefined) yield* this.#refuse(decision);
  }

  /** Ends the texts that the model left open. */
  async *#rest(): AsyncGenerator<Part, void> {
    while (this.#open !== undefined && !this.#refused) yield* this.#closed({ type: 'text-end', id: this.#open.id });
    if (!this.#refused) yield* this.#leaving(await this.#held.end(), true);
  }

  /** Returns a part without members that repeat a masked text. */
  #bare(part: Part): Part {
    const { type, id, finishReason, usage } = part;
    if (!this.#isMasked) return part;
    if (type === 'finish') return { type, finishReason, usage };
    return SAID.test(type) ? { type, id, delta: '' } : part;
  }

  async *#decided(part: Part): AsyncGenerator<Part, void> {
    if (this.#refused) return;
    const input = await this.#input;
    const decision = input.action === 'block' ? input : await decisionAbout(this.#guard, part, this.#context);
    if (decision.action === 'block') yield* this.#refuse(decision);
    else yield this.#noted(part);
  }

  /** Remembers which text starts the reader has seen. */
  #noted(part: Part): Part {
    const { type, id } = part;
    const [, kind, step] = SAID.exec(type) ?? [];
    if (step === 'start') this.#begun.set(id, { type: `${kind}-end`, id });
    if (step === 'end') this.#begun.delete(id);
    return part;
  }

  /**
   * Yields the parts that end the answer: the end of open texts, the guard's message, and the finish reason
   * `content-filter`.
   */
  *#refuse(decision: Decision): Generator<Part, void> {
    if (this.#refused) return;
    this.#stop();
    yield* this.#begun.values();
    yield* refusalParts(this.#guard, decision, this.#version);
  }

  #stop(): void {
    this.#refused = true;
    this.#held.cancel();
  }
}

/** Returns the text by id. */
function textsOf(parts: readonly Part[]): readonly string[] {
  const texts = new Map<unknown, string>();
  for (const { id, delta = '' } of parts) texts.set(id, (texts.get(id) ?? '') + String(delta));
  return [...texts.values()];
}

/** Returns the tail of a text, so that nothing can hide where it joins the next text. */
function endOf(text: string): string {
  return text.slice(-WINDOWS.overlap).replace(/^[\udc00-\udfff]/, '');
}
