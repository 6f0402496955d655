/** Passes the parts of a streamed answer as they are cleared. */
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { HeldText } from './held-text.ts';
import { withoutPieces } from './members.ts';
import { decisionAbout, type Part } from './parts.ts';
import { refusalParts, type Specification } from './refusal.ts';

/** Tool calls of a model; their input is text that the model wrote. */
const TOOL_INPUT = ['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call'];
/** Parts that say nothing about the answer. */
const EMPTY = ['stream-start', 'response-metadata', 'ping'];
const SAID = /^(text|reasoning)-(start|delta|end)$/;

/** A call that is being answered. */
export interface Answering {
  readonly context: GuardContext;
  readonly input: Promise<Decision>;
  readonly version: Specification;
}

/** A streamed answer: unscanned parts wait, and nothing passes after a block. */
export class GuardedParts {
  readonly #guard: Guard;
  readonly #context: GuardContext;
  readonly #input: Promise<Decision>;
  readonly #version: Specification;
  /** The open text of each kind. */
  readonly #open = new Map<string, HeldText>();
  /** The end of what was shown of each kind. */
  readonly #tails = new Map<string, string>();
  /** Parts of texts that have begun before an earlier text of their kind has ended: a reader must see what was scanned. */
  #later: Part[] = [];
  /** Ids of tool calls that the model has begun. */
  readonly #starts = new Set<unknown>();
  #isMasked = false;
  #refused = false;
  /** Reading and passing have ended. */
  #ended = false;

  constructor(guard: Guard, { context, input, version }: Answering) {
    this.#guard = guard;
    this.#context = context;
    this.#input = input;
    this.#version = version;
  }

  /** Returns the parts that may pass, read from the model as their reader asks for them. */
  of(source: ReadableStream<Part>): ReadableStream<Part> {
    const reader = source.getReader();
    const { signal } = this.#context;
    let leave: () => void = () => undefined;
    /** Ends the request of the model as well. */
    const stop = async (reason?: unknown) => {
      this.#end();
      signal?.removeEventListener('abort', leave);
      await reader.cancel(reason);
    };
    return new ReadableStream<Part>({
      start: (controller) => {
        leave = () => {
          if (this.#ended) return;
          controller.error(signal?.reason);
          stop(signal?.reason).catch(() => undefined);
        };
        if (signal?.aborted === true) return leave();
        signal?.addEventListener('abort', leave);
        const refuse = (decision: Decision) => {
          if (this.#ended || decision.action !== 'block') return;
          for (const part of this.#refuse(decision)) controller.enqueue(part);
          controller.close();
          stop().catch(() => undefined);
        };
        // A model that is slow to begin must not delay the refusal of the prompt. The next part reports a failure.
        this.#input.then(refuse, () => undefined);
      },
      pull: async (controller) => {
        while (!this.#isOver()) {
          const failures: unknown[] = [];
          const { done, value } = await reader.read().catch((error: unknown) => {
            failures.push(error);
            return { done: false as const, value: { type: 'error', error } };
          });
          let hasPassed = false;
          for await (const part of done ? this.#rest() : this.#pass(withoutPieces(value))) {
            if (this.#isOver()) return;
            // The error of a model is thrown as it was.
            if (part.type === 'error' && failures.length > 0) throw failures[0];
            controller.enqueue(part);
            hasPassed = true;
          }
          if (this.#isOver()) return;
          if (done || this.#refused) {
            controller.close();
            return stop();
          }
          if (hasPassed) return;
        }
      },
      cancel: stop,
    });
  }

  async *#pass(part: Part): AsyncGenerator<Part, void> {
    if (this.#refused) return;
    const [, kind, step] = SAID.exec(part.type) ?? [];
    if (kind !== undefined) return yield* this.#said(part, kind, step);
    // The provider's raw form repeats the held text.
    if (part.type === 'raw') return;
    if (TOOL_INPUT.includes(part.type)) return yield* this.#callParts(part);
    if (part.type === 'finish') yield* this.#rest();
    yield* this.#decided(part.type === 'finish' ? this.#bare(part) : part);
  }

  async *#said(part: Part, kind: string, step: string | undefined): AsyncGenerator<Part, void> {
    const open = this.#open.get(kind);
    if (open !== undefined && open.id !== part['id']) {
      this.#later.push(part);
      return;
    }
    if (step === 'start') {
      const stream = this.#guard.stream(this.#context, { input: this.#input });
      this.#open.set(kind, new HeldText(part['id'], stream, this.#tails.get(kind) ?? ''));
      return yield* this.#decided(part);
    }
    // Drop text without a start: it belongs to no answer.
    if (open === undefined) return;
    if (step === 'end') return yield* this.#closed(kind, open, part);
    yield* this.#released(kind, open, await open.push(String(part['delta'])));
    // A provider signs reasoning in deltas without text.
    const isSigned = part['providerMetadata'] !== undefined && !this.#isMasked;
    if (isSigned) yield* this.#decided({ ...part, delta: '' });
  }

  /** Ends a text, and goes on with those that waited for its end. */
  async *#closed(kind: string, open: HeldText, end: Part): AsyncGenerator<Part, void> {
    yield* this.#released(kind, open, await open.end());
    yield* this.#decided(this.#bare(end));
    if (this.#refused) return;
    this.#open.delete(kind);
    this.#tails.set(kind, open.tail);
    const later = this.#later;
    this.#later = [];
    for (const part of later) yield* this.#pass(part);
  }

  *#released(kind: string, open: HeldText, delta: string): Generator<Part, void> {
    this.#isMasked ||= open.isMasked;
    if (delta !== '') yield { type: `${kind}-delta`, id: open.id, delta };
    if (open.refusal !== undefined) yield* this.#refuse(open.refusal);
  }

  /** Ends the texts that the model has not ended. */
  async *#rest(): AsyncGenerator<Part, void> {
    for (const [kind, open] of this.#open) yield* this.#closed(kind, open, { type: `${kind}-end`, id: open.id });
  }

  /** Returns a part without what repeats a text that was masked. */
  #bare(part: Part): Part {
    if (!this.#isMasked) return part;
    const { type, id, finishReason, usage } = part;
    return type === 'finish' ? { type, finishReason, usage } : { type, id };
  }

  /** Holds a call back until it is complete. */
  async *#callParts(part: Part): AsyncGenerator<Part, void> {
    if (part.type === 'tool-input-start') this.#starts.add(part['id']);
    if (part.type !== 'tool-call') return;
    yield* this.#decided(part, this.#starts.has(part['toolCallId']) ? streamedCall(part) : [part]);
  }

  /** Yields `parts` where the prompt and the part are allowed. */
  async *#decided(part: Part, parts: readonly Part[] = [part]): AsyncGenerator<Part, void> {
    if (this.#refused) return;
    const input = EMPTY.includes(part.type) ? undefined : await this.#input;
    const decision = input?.action === 'block' ? input : await decisionAbout(this.#guard, part, this.#context);
    yield* decision.action === 'block' ? this.#refuse(decision) : parts;
  }

  /** Returns the parts that end the answer: open texts end, the message follows, and the reason is the filter's. */
  #refuse(decision: Decision): readonly Part[] {
    this.#refused = true;
    const open = [...this.#open].map(([kind, { id }]) => ({ type: `${kind}-end`, id }));
    this.#cancel();
    return [...open, ...refusalParts(this.#guard, decision, this.#version)];
  }

  /** The caller may leave during any wait. */
  #isOver(): boolean {
    return this.#ended;
  }

  #end(): void {
    this.#ended = true;
    this.#cancel();
  }

  #cancel(): void {
    for (const open of this.#open.values()) open.cancel();
    this.#open.clear();
    this.#starts.clear();
    this.#later = [];
  }
}

/** Returns a call as a model streams it, with the input that was scanned, whatever its pieces said. */
function streamedCall(call: Part): readonly Part[] {
  const { toolCallId: id, toolName, input, providerExecuted, dynamic } = call;
  return [
    { type: 'tool-input-start', id, toolName, providerExecuted, dynamic },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    call,
  ];
}
