/** Passes the parts of a streamed answer as they are cleared. */
import type { Decision, Guard, GuardContext, HeldStream } from '../../types.ts';
import { decisionAbout, EMPTY, type Part } from './parts.ts';
import { refusalParts, type Specification } from './refusal.ts';

/** Calls of tools of a model; their input is text that the model wrote. */
const TOOL_INPUT = ['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call'];
const HELD_STARTS = ['text-start', 'reasoning-start'];
const HELD_DELTAS = ['text-delta', 'reasoning-delta'];
const HELD_ENDS = ['text-end', 'reasoning-end'];

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
  /** Open texts by the name of their last part and their id. */
  readonly #held = new Map<string, HeldStream>();
  /** Parts of calls of tools by the id of the call, which wait for the whole call. */
  readonly #calls = new Map<string, Part[]>();
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
          const { done, value } = await reader.read();
          if (this.#isOver()) return;
          if (done) {
            await stop();
            return controller.close();
          }
          const passed = await this.#pass(value);
          if (this.#isOver()) return;
          for (const part of passed) controller.enqueue(part);
          if (this.#refused) {
            controller.close();
            return stop();
          }
          if (passed.length > 0) return;
        }
      },
      cancel: stop,
    });
  }

  async #pass(part: Part): Promise<readonly Part[]> {
    const [kind = ''] = part.type.split('-');
    const id = `${kind}-end ${String(part['id'])}`;
    if (HELD_STARTS.includes(part.type)) {
      this.#held.set(id, this.#guard.stream(this.#context, { input: this.#input }));
      return [part];
    }
    const held = this.#held.get(id);
    if (HELD_DELTAS.includes(part.type)) {
      // Drop text without a start: it belongs to no answer.
      if (held === undefined) return [];
      return this.#released(part, held, await held.push(String(part['delta'])));
    }
    if (HELD_ENDS.includes(part.type) && held !== undefined) {
      const released = this.#released({ ...part, type: part.type.replace('-end', '-delta') }, held, await held.end());
      if (!this.#refused) this.#held.delete(id);
      return this.#refused ? released : [...released, part];
    }
    // The provider's raw form repeats the held text.
    if (part.type === 'raw') return [];
    if (EMPTY.includes(part.type)) return [part];
    return TOOL_INPUT.includes(part.type) ? this.#callParts(part) : this.#decided(part, [part]);
  }

  #released(part: Part, held: HeldStream, delta: string): readonly Part[] {
    const parts = delta === '' ? [] : [{ ...part, delta }];
    return held.blocked && held.decision !== undefined ? [...parts, ...this.#refuse(held.decision)] : parts;
  }

  /** Keeps the parts of a call until it is complete. */
  async #callParts(part: Part): Promise<readonly Part[]> {
    const id = String(part['toolCallId'] ?? part['id']);
    const waiting = this.#calls.get(id) ?? [];
    if (part.type !== 'tool-call') {
      this.#calls.set(id, [...waiting, part]);
      return [];
    }
    this.#calls.delete(id);
    return this.#decided(part, [...asScanned(waiting, String(part['input'])), part]);
  }

  /** @returns `parts` where the prompt and the part are allowed */
  async #decided(part: Part, parts: readonly Part[]): Promise<readonly Part[]> {
    const input = await this.#input;
    const decision = input.action === 'block' ? input : await decisionAbout(this.#guard, part, this.#context);
    return decision?.action === 'block' ? this.#refuse(decision) : parts;
  }

  /** Returns the parts that end the answer: open texts end, the message follows, and the reason is the filter's. */
  #refuse(decision: Decision): readonly Part[] {
    this.#refused = true;
    const open = [...this.#held.keys()].map((key) => {
      const [type = '', ...id] = key.split(' ');
      return { type, id: id.join(' ') };
    });
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
    for (const held of this.#held.values()) held.cancel();
    this.#held.clear();
    this.#calls.clear();
  }
}

/** Returns the parts of an input of a tool with the text that is scanned, where a provider sends another in pieces. */
function asScanned(parts: readonly Part[], input: string): readonly Part[] {
  const isDelta = (part: Part) => part.type === 'tool-input-delta';
  const deltas = parts.filter(isDelta);
  const [first] = deltas;
  if (first === undefined || deltas.map(({ delta }) => String(delta)).join('') === input) return parts;
  return parts.flatMap((part) => (part === first ? [{ ...part, delta: input }] : isDelta(part) ? [] : [part]));
}
