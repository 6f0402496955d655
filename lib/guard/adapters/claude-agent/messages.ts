/** Holds back what an agent of the Claude Agent SDK says until it was scanned, and ends its query on a block. */
import type { Guard, GuardContext } from '../../types.ts';
import { type Cut, refusalMessages } from './refusal.ts';
import { MessageScanner, Refusal, type Values, valuesOf } from './scanner.ts';
import { EventScanner } from './stream.ts';

/** The members of the result of `query()` that the guard uses. */
export interface AgentQuery<Message extends { readonly type: string }> extends AsyncIterable<Message> {
  /** Ends the agent's process, and the request of the model with it. */
  close(): void;
}

export interface MessagesOptions {
  /** Returns session, turn and user of a message. Default: the SDK's session. */
  readonly context?: (message: unknown) => GuardContext;
}

/**
 * Wraps a query: its messages pass once they were scanned. On a block the query is closed, and the last messages are an
 * assistant's with the guard's message and a result, both with the stop reason `refusal`.
 * @throws TypeError for anything else than what `query()` returned
 */
export function guardMessages<Message extends { readonly type: string }>(
  guard: Guard,
  query: AgentQuery<Message>,
  { context }: MessagesOptions = {},
): AsyncGenerator<Message, void> {
  if (typeof query.close !== 'function' || typeof query[Symbol.asyncIterator] !== 'function')
    throw new TypeError('guardMessages needs the result of query(): its close() ends the request of the model.');
  return new GuardedMessages(guard, query as never, context) as never;
}

class GuardedMessages {
  readonly #guard: Guard;
  readonly #query: AgentQuery<never>;
  readonly #source: AsyncIterator<Values>;
  readonly #scanner: MessageScanner;
  readonly #events: EventScanner;
  readonly #leaving = new AbortController();
  /** Messages that may leave; filled only while it is empty. */
  #ready: Values[] = [];
  #last: Values = {};
  #turn: Promise<unknown> = Promise.resolve();

  constructor(guard: Guard, query: AgentQuery<never>, given?: (message: unknown) => GuardContext) {
    const contextOf = (message: Values): GuardContext => {
      const session = message['session_id'];
      const context = { ...(typeof session === 'string' ? { session_id: session } : {}), ...given?.(message) };
      const { signal } = this.#leaving;
      return { ...context, signal: context.signal === undefined ? signal : AbortSignal.any([context.signal, signal]) };
    };
    this.#guard = guard;
    this.#query = query;
    this.#source = query[Symbol.asyncIterator]();
    this.#scanner = new MessageScanner(guard, contextOf);
    this.#events = new EventScanner(guard, this.#scanner, contextOf);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Messages leave in their order, also where a caller does not wait for the one before. */
  next(): Promise<IteratorResult<Values, void>> {
    const result = this.#turn.then(() => this.#next());
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** The reader leaves: the scan and the request of the model end at once. */
  async return(): Promise<IteratorResult<Values, void>> {
    this.#end();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<IteratorResult<Values, void>> {
    this.#end();
    throw error;
  }

  async #next(): Promise<IteratorResult<Values, void>> {
    for (;;) {
      const value = this.#ready.shift();
      if (value !== undefined) return { done: false, value };
      if (this.#isOver()) return { done: true, value: undefined };
      await this.#advance();
    }
  }

  async #advance(): Promise<void> {
    try {
      const read = await this.#source.next();
      if (read.done === true) return this.#end();
      if (this.#isOver()) return;
      this.#last = read.value;
      const passed = await this.#pass(read.value);
      if (!this.#isOver()) this.#ready = [...passed];
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): void {
    const isLeaving = this.#isOver();
    const cut = this.#cut();
    this.#end();
    if (!(thrown instanceof Refusal)) throw thrown;
    const text = this.#guard.message(thrown.decision);
    if (!isLeaving) this.#ready = [...thrown.passed, ...refusalMessages(text, this.#last, cut)];
  }

  async #pass(message: Values): Promise<readonly Values[]> {
    switch (message['type']) {
      case 'stream_event':
        return this.#events.event(message);
      case 'assistant':
        return [...(await this.#events.before(message)), await this.#scanner.assistant(message)];
      case 'user':
        return [await this.#scanner.user(message)];
      case 'result':
        return [await this.#scanner.result(message)];
      default:
        return (await this.#scanner.mayPass(message)) ? [message] : [];
    }
  }

  /** Finds where the main answer's stream is, if the reader sees one. */
  #cut(): Cut | undefined {
    const open = this.#events.indexes();
    const { index } = valuesOf(this.#last['event']);
    const isStreaming = this.#last['type'] === 'stream_event' && (this.#last['parent_tool_use_id'] ?? null) === null;
    if (open.length === 0 && !isStreaming) return undefined;
    const latest = open.reduce((highest, each) => Math.max(highest, each), typeof index === 'number' ? index : -1);
    return { open, next: latest + 1 };
  }

  #isOver(): boolean {
    return this.#leaving.signal.aborted;
  }

  /** Nothing but a refusal passes from here on. */
  #end(): void {
    if (this.#isOver()) return;
    this.#ready = [];
    this.#leaving.abort();
    this.#events.cancel();
    this.#query.close();
  }
}
