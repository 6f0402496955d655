/** One call of the model inside of a guarded one, and the decision about what it is asked. */

import type { BaseChatModelCallOptions as CallOptions } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain';
import { present } from '../../../core/json.ts';
import { maskedPrompt, newMessages } from '../../conversation.ts';
import { blockedIfMasked } from '../../decisions.ts';
import type { AdapterOptions, Decision, Guard, GuardContext, Message } from '../../types.ts';
import { contextWith, isSign, type Values, withoutPieces, withoutSigns } from '../values.ts';

/** Types of messages, with the roles that the guard knows. */
const ROLES: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool' };

/** Marks an answer of the guard, so that the turn before it is never sent to a model again. */
const MARK = 'aisec';
const MARKED = 'blocked';

/** Messages with their masks. */
export interface Masked {
  readonly messages: readonly BaseMessage[];
  /** A text that may have what must be masked has no verdict. */
  readonly refused?: Decision;
}

/** Masks each text that comes from outside, in every turn. What needs more than masks of single texts is blocked later. */
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

/** Decides about new content, from which all was masked that can be. */
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

/** Returns all of a message that its reader gets. @param called names of tools that were scanned with their calls */
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

/** Returns the role of a message. A message of an unknown type is scanned. */
function roleOf(message: BaseMessage): string {
  const { type, role = '' } = message as { readonly type: string; readonly role?: string };
  return type === 'generic' ? role : (ROLES[type] ?? 'unknown');
}

/** Returns a message instead of another one, with another content and no words besides. */
export function replaced(original: BaseMessage, content: unknown): BaseMessage {
  const { id, name } = original;
  const fields = { content: content as string, ...present({ id, name }) };
  if (!ToolMessage.isInstance(original)) return new HumanMessage(fields);
  const { tool_call_id, status } = original;
  return new ToolMessage({ ...fields, tool_call_id, ...present({ status }) });
}

/** Returns the answer of the guard. @param more members of the answer that is refused */
export function refusalFields(text: string, more: Values = {}) {
  return { ...more, content: text, response_metadata: { finish_reason: 'content_filter', [MARK]: MARKED } };
}

/** Drops each turn that the guard ended: it was judged bad, and as an earlier turn nothing would scan it again. */
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

/** Removes the last turn: the user's messages and all that followed them. */
function dropTurn(kept: BaseMessage[]): void {
  const last = () => {
    const message = kept.at(-1);
    return message === undefined ? 'system' : roleOf(message);
  };
  while (!['user', 'system'].includes(last())) kept.pop();
  while (!['assistant', 'system'].includes(last())) kept.pop();
}

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
