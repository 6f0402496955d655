/** One call of the model inside of a guarded one. */
import type { BaseChatModelCallOptions as CallOptions } from '@langchain/core/language_models/chat_models';
import type { BaseMessage } from '@langchain/core/messages';
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain';
import type { AdapterOptions, Decision, Guard, GuardContext } from '../../types.ts';
import { contextWith } from '../whole.ts';
import { decisionAboutPrompt, maskedMessages, withoutRefused } from './conversation.ts';

/** The context is that of a call, by its options. */
export type ModelOptions = AdapterOptions;

/** Asks the model. */
export type Ask<Answer> = (messages: BaseMessage[], options: CallOptions) => Promise<Answer>;

export class Call {
  readonly context: GuardContext;
  readonly #guard: Guard;
  readonly #options: CallOptions;
  #stopping = new AbortController();

  constructor(guard: Guard, { context }: ModelOptions, options: CallOptions) {
    this.context = contextWith(context?.(options), options.signal);
    this.#guard = guard;
    this.#options = options;
  }

  /** Asks the model once its prompt may be sent, or at once where both run at the same time. */
  async asked<Answer>(
    messages: readonly BaseMessage[],
    ask: Ask<Answer>,
  ): Promise<{ readonly answer: Answer } | { readonly blocked: Decision }> {
    const kept = withoutRefused(messages);
    const { messages: sent, refused } = await maskedMessages(this.#guard, kept, this.context);
    const isEarly = this.#guard.parallelInput && refused === undefined;
    const started = isEarly ? this.#ask(sent, ask) : undefined;
    started?.catch(() => undefined);
    const decision = refused ?? (await decisionAboutPrompt(this.#guard, sent, this.context));
    this.throwIfLeft();
    if (decision.action === 'allow') return { answer: await (started ?? this.#ask(sent, ask)) };
    this.stop();
    return { blocked: decision };
  }

  /** Ends the request of the model. */
  stop(): void {
    this.#stopping.abort();
  }

  /** A caller who has left gets the reason, and no refusal. */
  throwIfLeft(): void {
    this.#options.signal?.throwIfAborted();
  }

  async #ask<Answer>(messages: readonly BaseMessage[], ask: Ask<Answer>): Promise<Answer> {
    const { signal, ...options } = this.#options;
    this.#stopping = new AbortController();
    const { signal: stopped } = this.#stopping;
    try {
      return await ask([...messages], {
        ...options,
        signal: signal === undefined ? stopped : AbortSignal.any([signal, stopped]),
        // Nobody is told what was not scanned.
        callbacks: [new Untraced()],
      });
    } catch (thrown) {
      throw withoutPartial(thrown);
    }
  }
}

/** Takes the unscanned text out of the error of a call that was aborted. */
export function withoutPartial(thrown: unknown): unknown {
  for (const name of ['partialOutput', 'completion'])
    if (typeof thrown === 'object' && thrown !== null && name in thrown) Reflect.deleteProperty(thrown, name);
  return thrown;
}

/**
 * Sends no traces. The environment can switch tracing on for each call; the framework adds its own tracer only where there is
 * none. The guarded model is traced instead.
 */
class Untraced extends LangChainTracer {
  constructor() {
    super({ client: { createRun: async () => undefined, updateRun: async () => undefined } });
  }

  override async onRunCreate(): Promise<void> {
    // Nothing is sent.
  }

  override async onRunUpdate(): Promise<void> {
    // Nothing is sent.
  }

  override copyWithTracingConfig(): this {
    return this;
  }
}
