/** Makes one model call inside a guarded call, and decides about its input. */

import type { BaseChatModelCallOptions as CallOptions } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain';
import { present } from '../../../core/json.ts';
import { maskedPrompt, newMessages } from '../../conversation.ts';
import { blockedIfMasked } from '../../decisions.ts';
import type { AdapterOptions, Decision, Guard, GuardContext, Message } from '../../types.ts';
import { contextWith, isSign, type Values, withoutPieces, withoutSigns } from '../values.ts';

/** Maps message types to the guard's roles. */
const ROLES: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool' };

/** Marks the guard's own answer, so that the turn before it is never sent to a model again. */
const MARK = 'aisec';
const MARKED = 'blocked';

/** Masked messages. */
export interface Masked {
  readonly messages: readonly BaseMessage[];
  /** Set if a text that may need masking has no verdict. */
  readonly refused?: Decision;
}

/** Masks each text from outside, in every turn. Content that cannot be masked text by text is blocked later. */
export async function maskedMessages(
  guard: Guard,
  messages: readonly BaseMessage[],
  context: GuardContext,
): Promise<Masked> {
  if (!guard.masksInput) return { messages };
  const read: (Message & { original: BaseMessage })[] = messages.map(withRole);
  const { messages: masked, ...refused } = await maskedPrompt(guard, read, context);
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const sent = masked.map(({ content, original }) =>
    isSame(content, original.content) ? original : replaced(original, content),
  );
  return { messages: sent, ...refused };
}

/** Decides about new content after all maskable data in it was masked. */
export async function decisionAboutPrompt(
  guard: Guard,
  messages: readonly BaseMessage[],
  context: GuardContext,
): Promise<Decision> {
  const called = new Set(
    messages.flatMap((each) => (AIMessage.isInstance(each) ? (each.tool_calls ?? []) : [])).map(({ name }) => name),
  );
  const read = messages.map((each) => readable(each, called));
  return blockedIfMasked(await guard.input(read, context));
}

/** Returns the messages that are new. */
export function freshIn(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  return newMessages(messages.map(withRole)).map(({ original }) => original);
}

/** Returns everything in a message that its reader sees. @param called tool names that were scanned with their calls */
function readable(message: BaseMessage, called: ReadonlySet<string>): Message {
  const { content, name, additional_kwargs: additional } = message;
  const role = roleOf(message);
  const isKnown = name === undefined || (role === 'tool' && called.has(name));
  const more = withoutSigns(withoutPieces(additional), isSign);
  return { role, content, ...(isKnown ? {} : { name }), ...(more === undefined ? {} : { more }) };
}

function withRole(original: BaseMessage) {
  return { role: roleOf(original), content: original.content, original };
}

/** Returns a message's role. Messages of unknown types are scanned. */
function roleOf(message: BaseMessage): string {
  const { type, role = '' } = message as { readonly type: string; readonly role?: string };
  return type === 'generic' ? role : (ROLES[type] ?? 'unknown');
}

/** Returns a replacement for a message, with new content and no other text. */
export function replaced(original: BaseMessage, content: unknown): BaseMessage {
  const { id, name } = original;
  const fields = { content: content as string, ...present({ id, name }) };
  if (!ToolMessage.isInstance(original)) return new HumanMessage(fields);
  const { tool_call_id, status } = original;
  return new ToolMessage({ ...fields, tool_call_id, ...present({ status }) });
}

/** Returns the guard's answer. @param more members of the refused answer */
export function refusalFields(text: string, more: Values = {}) {
  return { ...more, content: text, response_metadata: { finish_reason: 'content_filter', [MARK]: MARKED } };
}

/** Drops each turn that the guard ended: the turn was blocked, and as an earlier turn it would not be scanned again. */
function withoutRefused(messages: readonly BaseMessage[]): BaseMessage[] {
  const kept: BaseMessage[] = [];
  for (const message of messages) {
    if (isRefusal(message)) dropTurn(kept);
    else kept.push(message);
  }
  return kept;
}

function isRefusal(message: BaseMessage): boolean {
  return roleOf(message) === 'assistant' && message.response_metadata[MARK] === MARKED;
}

/** Removes the last turn: the user's messages and everything after them. */
function dropTurn(kept: BaseMessage[]): void {
  const last = () => {
    const message = kept.at(-1);
    return message === undefined ? 'system' : roleOf(message);
  };
  while (!['user', 'system'].includes(last())) kept.pop();
  while (!['assistant', 'system'].includes(last())) kept.pop();
}

/** Builds the context from the call's options. */
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

  /** Calls the model once its prompt is cleared, or at once if scan and call run in parallel. */
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

  /** Ends the model request. */
  stop(): void {
    this.#stopping.abort();
  }

  /** If the caller has aborted, rejects with the signal's reason instead of a refusal. */
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
        // Traces must not receive unscanned text.
        callbacks: [new Untraced()],
      });
    } catch (thrown) {
      throw withoutPartial(thrown);
    }
  }
}

/** Removes unscanned text from the error of an aborted call. */
export function withoutPartial(thrown: unknown): unknown {
  for (const name of ['partialOutput', 'completion'])
    if (typeof thrown === 'object' && thrown !== null && name in thrown) Reflect.deleteProperty(thrown, name);
  return thrown;
}

/**
 * Sends no traces. The environment can enable tracing for each call, and the framework adds its own tracer only if none
 * is set. The guarded model is traced instead.
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
