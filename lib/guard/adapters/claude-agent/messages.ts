/** Holds back an agent's messages (Claude Agent SDK) until they are scanned, and ends its query on a block. */
import type { AdapterOptions, Guard } from '../../types.ts';
import { contextWith, type Values } from '../values.ts';
import { MessageScanner } from './scanner.ts';
import { toolNotes } from './tool-calls.ts';

/** Messages that must not be dropped: without them the query ends. */
const NEEDED: ReadonlySet<unknown> = new Set(['assistant', 'user', 'result']);

/** The members that the guard uses of the object that `query()` returns. */
export interface AgentQuery<Message extends { readonly type: string }> extends AsyncIterable<Message> {
  /** Ends the agent's process, and with it the model request. */
  close(): void;
}

/** Builds the context from a hook's input or a message. Default: the SDK's session, and a hook's prompt. */
export type ClaudeAgentOptions = AdapterOptions;

/**
 * Wraps a query: its complete messages pass once they are scanned; partial messages are dropped. On a block the query
 * is closed, and the last two messages are an assistant message with the guard's message, and a result, both with the
 * stop reason `refusal`.
 * @throws TypeError if the argument was not returned by `query()`
 */
export function guardMessages<Message extends { readonly type: string }>(
  guard: Guard,
  query: AgentQuery<Message>,
  { context: contextOf }: ClaudeAgentOptions = {},
): AsyncGenerator<Message, void> {
  if (typeof query.close !== 'function' || typeof query[Symbol.asyncIterator] !== 'function')
    throw new TypeError('guardMessages needs the result of query(): its close() ends the model request.');
  const ending = new AbortController();
  ending.signal.addEventListener('abort', () => query.close());
  const scanner = new MessageScanner(guard, ({ session_id, ...message }) => {
    const session = typeof session_id === 'string' ? { session_id } : {};
    return contextWith({ ...session, ...contextOf?.({ session_id, ...message }) }, ending.signal);
  });
  const messages = passed(guard, query as never, scanner, ending);
  const done = { done: true, value: undefined };
  let isLeft = false;
  // The reader has left: end the scan and the model request at once.
  const leave = async () => {
    isLeft = true;
    ending.abort();
    return done;
  };
  const guarded = {
    next: async () => (isLeft ? done : messages.next()),
    return: leave,
    throw: async (error: unknown) => {
      await leave();
      throw error;
    },
    [Symbol.asyncIterator]: () => guarded,
  };
  return guarded as never;
}

async function* passed(
  guard: Guard,
  query: AsyncIterable<Values>,
  scanner: MessageScanner,
  ending: AbortController,
): AsyncGenerator<Values, void> {
  try {
    for await (const message of query) {
      // The complete message repeats the partial messages and is scanned as a whole.
      if (message['type'] === 'stream_event') continue;
      const stop = toolNotes(guard).stopOf(message);
      if (stop !== undefined) {
        yield* refusalMessages(stop, message);
        continue;
      }
      const { decision, message: shown } = await scanner.shown(message);
      if (ending.signal.aborted) return;
      if (decision.action !== 'block') yield shown;
      else if (NEEDED.has(message['type'])) {
        ending.abort();
        yield* refusalMessages(guard.message(decision), message);
        return;
      }
    }
  } catch (thrown) {
    // A closed query may reject.
    if (!ending.signal.aborted) throw thrown;
  } finally {
    ending.abort();
  }
}

const REFUSAL = 'refusal';
const NOTHING_USED = { input_tokens: 0, output_tokens: 0 };

/**
 * Builds the last messages of a query that the guard ended: an assistant message and a result.
 * @param refused the refused message: if it is a result, only its usage is kept
 */
function refusalMessages(text: string, refused: Values): Values[] {
  const { session_id } = refused;
  const message = {
    ...{ id: 'aisec-refusal', type: 'message', role: 'assistant', model: '<synthetic>' },
    ...{ content: [{ type: 'text', text }], stop_reason: REFUSAL, stop_sequence: null, usage: NOTHING_USED },
  };
  // Before a result, only the agent's process knows the usage, and that process was ended.
  const unknown: Values = { duration_ms: 0, duration_api_ms: 0, num_turns: 0, total_cost_usd: 0, usage: NOTHING_USED };
  const told = refused['type'] === 'result' ? refused : unknown;
  const used = Object.fromEntries(Object.keys(unknown).map((name) => [name, told[name]]));
  const result = { type: 'result', subtype: 'success', is_error: true, stop_reason: REFUSAL, result: text };
  return [
    { type: 'assistant', message, parent_tool_use_id: null, session_id, uuid: crypto.randomUUID() },
    { ...used, ...result, modelUsage: {}, permission_denials: [], session_id, uuid: crypto.randomUUID() },
  ];
}
