/** Puts the guard around a chat model of LangChain: no text leaves it before it was scanned, also where it is streamed. */
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { checkedInput, type IsCleared } from './input.ts';
import { type Generation, type LangMessage, refusalFields, withoutRefused } from './messages.ts';
import { checkedGeneration, namesIn } from './output.ts';
import { HeldChunks } from './stream.ts';

type CallOptions = Readonly<Record<string, unknown>> & { readonly signal?: AbortSignal };

/** The part of a result that the guard reads. */
export interface ChatResult {
  readonly generations: readonly Generation[];
  readonly llmOutput?: Readonly<Record<string, unknown>> | undefined;
}

/** The part of a callback manager that the guard uses. */
interface RunManager {
  handleLLMNewToken(...token: readonly unknown[]): Promise<unknown>;
}

/** Methods that a chat model implements itself; the framework has all others. */
export interface Provider {
  _generate(messages: readonly LangMessage[], options: CallOptions): Promise<ChatResult>;
  _streamResponseChunks(messages: readonly LangMessage[], options: CallOptions): AsyncIterable<Generation>;
}

export interface ModelOptions {
  /** Returns session, turn and user of a call, by the options of the call. */
  readonly context?: (options: unknown) => GuardContext;
}

/** Results of the middleware about the messages of a call. */
export interface Known {
  readonly isCleared: IsCleared;
  readonly isDecided: (messages: readonly LangMessage[]) => boolean;
  readonly onCall: () => void;
}

const NOTHING_KNOWN: Known = { isCleared: () => false, isDecided: () => false, onCall: () => undefined };

/** The calls of a guarded model. */
export class GuardedCalls {
  readonly #guard: Guard;
  readonly #provider: Provider;
  readonly #options: ModelOptions;
  readonly #known: Known;

  constructor(guard: Guard, provider: Provider, options: ModelOptions, known: Known = NOTHING_KNOWN) {
    this.#guard = guard;
    this.#provider = provider;
    this.#options = options;
    this.#known = known;
  }

  /** Answers as a whole. The model gets no run manager: it would report tokens before they were scanned. */
  readonly generate = async (messages: readonly LangMessage[], options: CallOptions): Promise<ChatResult> => {
    this.#known.onCall();
    const context = this.#contextOf(options);
    const sent = withoutRefused(messages);
    const started = this.#guard.parallelInput ? this.#generated(sent, options) : undefined;
    started?.catch(() => undefined);
    const { decision, messages: cleared } = await this.#asked(sent, context);
    if (decision?.action === 'block') return this.#refused(decision);
    // What the model makes of the original text is thrown away.
    const isMasked = decision?.action === 'mask';
    const result = await (started === undefined || isMasked ? this.#generated(cleared, options) : started);
    return this.#checked(result, context);
  };

  /** Answers in chunks. */
  readonly stream = (messages: readonly LangMessage[], options: CallOptions, manager?: RunManager) =>
    this.#reported(this.#chunks(messages, options), manager);

  async *#reported(chunks: AsyncIterable<Generation>, manager: RunManager | undefined) {
    for await (const chunk of chunks) {
      yield chunk;
      const { prompt = 0, completion = 0 } = chunk.generationInfo ?? {};
      const fields = { chunk };
      await manager?.handleLLMNewToken(chunk.text, { prompt, completion }, undefined, undefined, undefined, fields);
    }
  }

  async *#chunks(messages: readonly LangMessage[], options: CallOptions): AsyncGenerator<Generation> {
    this.#known.onCall();
    const stopping = new AbortController();
    const signal = anyOf(options.signal, stopping.signal);
    const context = { ...this.#contextOf(options), signal };
    const held = new HeldChunks(this.#guard, context);
    const sent = withoutRefused(messages);
    const start = (asked: readonly LangMessage[]) =>
      this.#provider._streamResponseChunks(asked, { ...options, signal })[Symbol.asyncIterator]();
    const source = new Source(this.#guard.parallelInput ? start(sent) : undefined);
    let hasShown = false;
    try {
      const { decision, messages: cleared } = await this.#asked(sent, context);
      if (decision?.action === 'block') {
        yield this.#refusal(decision);
        return;
      }
      if (source.isIdle || decision?.action === 'mask') await source.begin(start(cleared));
      for (;;) {
        const next = await withoutPartial(source.next());
        const chunks = next.done === true ? await held.end() : await held.push(next.value);
        for (const chunk of chunks) {
          hasShown ||= chunk.text !== '';
          yield chunk;
        }
        if (held.blocked !== undefined) {
          yield held.refusal(held.blocked, hasShown) ?? this.#refusal(held.blocked);
          return;
        }
        if (next.done === true) return;
      }
    } finally {
      // Ends the request of the model and the scan, also where the reader has left.
      held.cancel();
      stopping.abort();
      await source.end();
    }
  }

  #contextOf(options: CallOptions): GuardContext {
    const { signal } = options;
    return { ...this.#options.context?.(options), ...(signal === undefined ? {} : { signal }) };
  }

  async #asked(messages: readonly LangMessage[], context: GuardContext) {
    if (this.#known.isDecided(messages)) return { decision: undefined, messages };
    return checkedInput(this.#guard, messages, { context, isCleared: this.#known.isCleared });
  }

  #generated(messages: readonly LangMessage[], options: CallOptions): Promise<ChatResult> {
    return withoutPartial(this.#provider._generate(messages, options));
  }

  /** Decides about each of the answers: a bad one ends all of them. */
  async #checked({ generations, llmOutput, ...result }: ChatResult, context: GuardContext): Promise<ChatResult> {
    const checked: Generation[] = [];
    for (const generation of generations) {
      const each = await checkedGeneration(this.#guard, generation, context);
      if ('blocked' in each) return this.#refused(each.blocked);
      checked.push(each);
    }
    return { ...result, generations: checked, ...(llmOutput === undefined ? {} : { llmOutput: namesIn(llmOutput) }) };
  }

  #refused(decision: Decision): ChatResult {
    return { generations: [this.#refusal(decision)] };
  }

  /** Has the framework create the message: no class of it is imported. */
  #refusal(decision: Decision): Generation {
    const text = this.#guard.message(decision);
    const input = [{ role: 'assistant', ...refusalFields(text) }];
    const [message] = (this.#provider.constructor as unknown as ModelClass)
      ._convertInputToPromptValue(input)
      .toChatMessages();
    if (message === undefined) throw new TypeError('The chat model converts no message.');
    return { text, message, generationInfo: {}, concat: (other) => other };
  }
}

/** The static part of each class of chat models that the guard uses. */
export interface ModelClass {
  _convertInputToPromptValue(input: readonly unknown[]): { toChatMessages(): readonly LangMessage[] };
}

/** The chunks of a model, whose request starts with the first one. */
class Source {
  #chunks: AsyncIterator<Generation> | undefined;
  #first: Promise<IteratorResult<Generation>> | undefined;

  constructor(started: AsyncIterator<Generation> | undefined) {
    this.#chunks = started;
    this.#first = started?.next();
    this.#first?.catch(() => undefined);
  }

  get isIdle(): boolean {
    return this.#chunks === undefined;
  }

  async begin(chunks: AsyncIterator<Generation>): Promise<void> {
    await this.end();
    this.#chunks = chunks;
    this.#first = undefined;
  }

  next(): Promise<IteratorResult<Generation>> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#chunks?.next() ?? Promise.resolve({ done: true, value: undefined });
  }

  async end(): Promise<void> {
    try {
      await this.#chunks?.return?.();
    } catch {
      // The model was asked to stop; its end does not matter.
    }
  }
}

/** Takes the unscanned text out of the error of a call that was aborted. */
async function withoutPartial<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (thrown) {
    for (const name of ['partialOutput', 'completion'])
      if (typeof thrown === 'object' && thrown !== null && name in thrown) Reflect.deleteProperty(thrown, name);
    throw thrown;
  }
}

function anyOf(signal: AbortSignal | undefined, other: AbortSignal): AbortSignal {
  return signal === undefined ? other : AbortSignal.any([signal, other]);
}
