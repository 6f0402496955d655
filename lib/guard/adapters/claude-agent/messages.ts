/** Holds back what an agent of the Claude Agent SDK says until it was scanned, and ends its query on a block. */
import type { Guard, GuardContext } from '../../types.ts';
import { type Values, valuesOf } from '../texts.ts';
import { refusalMessages } from './refusal.ts';
import { type ContextOf, MessageScanner, Refusal } from './scanner.ts';
import { AgentStream } from './stream.ts';

/** The members of the result of `query()` that the guard uses. */
export interface AgentQuery<Message extends { readonly type: string }> extends AsyncIterable<Message> {
  /** Ends the agent's process, and the request of the model with it. */
  close(): void;
}

export interface ClaudeAgentOptions {
  /** Returns session, turn and user of a hook's input or of a message. Default: the SDK's session, and a hook's prompt. */
  readonly context?: (from: unknown) => GuardContext;
}

/**
 * Wraps a query: its messages pass once they were scanned. On a block the query is closed, and the last messages are an
 * assistant's with the guard's message and a result, both with the stop reason `refusal`.
 * @throws TypeError for anything else than what `query()` returned
 */
export function guardMessages<Message extends { readonly type: string }>(
  guard: Guard,
  query: AgentQuery<Message>,
  { context }: ClaudeAgentOptions = {},
): AsyncGenerator<Message, void> {
  if (typeof query.close !== 'function' || typeof query[Symbol.asyncIterator] !== 'function')
    throw new TypeError('guardMessages needs the result of query(): its close() ends the request of the model.');
  const guarded = new GuardedMessages(guard, query as never, context);
  const messages = guarded.passed();
  const done = { done: true, value: undefined };
  return {
    next: async () => (guarded.isLeft ? done : messages.next()),
    return: async () => {
      guarded.leave();
      return done;
    },
    throw: async (error: unknown) => {
      guarded.leave();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  } as never;
}

class GuardedMessages {
  readonly #guard: Guard;
  readonly #query: AgentQuery<never>;
  readonly #scanner: MessageScanner;
  readonly #contextOf: ContextOf;
  readonly #ending = new AbortController();
  /** By the call of the subagent; the main agent has none. */
  readonly #agents = new Map<unknown, AgentStream>();
  isLeft = false;
  #last: Values = {};
  /** The last event of the main answer that was shown. */
  #event: Values | undefined;

  constructor(guard: Guard, query: AgentQuery<never>, given?: (message: unknown) => GuardContext) {
    const { signal } = this.#ending;
    this.#contextOf = (message) => {
      const session = message['session_id'];
      const context = { ...(typeof session === 'string' ? { session_id: session } : {}), ...given?.(message) };
      return { ...context, signal: context.signal === undefined ? signal : AbortSignal.any([context.signal, signal]) };
    };
    this.#guard = guard;
    this.#query = query;
    this.#scanner = new MessageScanner(guard, this.#contextOf);
  }

  async *passed(): AsyncGenerator<Values, void> {
    const source: AsyncIterator<Values> = this.#query[Symbol.asyncIterator]();
    try {
      for (let read = await source.next(); read.done !== true; read = await source.next()) {
        this.#last = read.value;
        for await (const message of this.#pass(read.value)) {
          const isOfMain = message['type'] === 'stream_event' && (message['parent_tool_use_id'] ?? null) === null;
          if (isOfMain) this.#event = valuesOf(message['event']);
          yield message;
        }
      }
      yield* this.#flushed();
    } catch (thrown) {
      this.#end();
      if (this.isLeft) return;
      if (!(thrown instanceof Refusal)) throw thrown;
      yield* refusalMessages(this.#guard.message(thrown.decision), this.#last, this.#event);
    } finally {
      this.#end();
    }
  }

  async *#pass(message: Values): AsyncGenerator<Values, void> {
    const { type } = message;
    if (type === 'stream_event') yield* this.#agentOf(message).event(message);
    else if (type === 'assistant') yield* this.#agentOf(message).inTurn(message);
    else if (type === 'user' || type === 'result') {
      yield* this.#flushed();
      yield await this.#scanner[type](message);
    } else if (await this.#scanner.mayPass(message)) yield message;
  }

  #agentOf(message: Values): AgentStream {
    const id = message['parent_tool_use_id'] ?? null;
    const hold = (first: Values) => this.#guard.stream(this.#contextOf(first));
    const agent = this.#agents.get(id) ?? new AgentStream(this.#scanner, hold);
    this.#agents.set(id, agent);
    return agent;
  }

  async *#flushed(): AsyncGenerator<Values, void> {
    for (const agent of this.#agents.values()) yield* agent.flush();
  }

  /** The reader leaves: the scan and the request of the model end at once. */
  leave(): void {
    this.isLeft = true;
    this.#end();
  }

  #end(): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    for (const agent of this.#agents.values()) agent.cancel();
    this.#query.close();
  }
}
