/** Holds back what an agent of the Claude Agent SDK says until it was scanned, and ends its query on a block. */
import type { Guard, GuardContext } from '../../types.ts';
import { type Values, valuesOf } from '../texts.ts';
import { blocksOf } from './protocol.ts';
import { refusalMessages } from './refusal.ts';
import { MessageScanner } from './scanner.ts';
import { notesOf } from './tools.ts';

/** Messages that cannot be left out: without them the query ends. */
const NEEDED: ReadonlySet<unknown> = new Set(['assistant', 'user', 'result', 'stream_event']);

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
 * Wraps a query: its messages pass once they were scanned, and partial messages with the complete message that repeats them. On
 * a block the query is closed, and the last messages are an assistant's with the guard's message and a result, both with the
 * stop reason `refusal`.
 * @throws TypeError for anything else than what `query()` returned
 */
export function guardMessages<Message extends { readonly type: string }>(
  guard: Guard,
  query: AgentQuery<Message>,
  { context: contextOf }: ClaudeAgentOptions = {},
): AsyncGenerator<Message, void> {
  if (typeof query.close !== 'function' || typeof query[Symbol.asyncIterator] !== 'function')
    throw new TypeError('guardMessages needs the result of query(): its close() ends the request of the model.');
  const ending = new AbortController();
  ending.signal.addEventListener('abort', () => query.close());
  const scanner = new MessageScanner(guard, ({ session_id, ...message }) => {
    const session = typeof session_id === 'string' ? { session_id } : {};
    const { signal, ...context } = { ...session, ...contextOf?.({ session_id, ...message }) };
    const signals = signal === undefined ? [ending.signal] : [signal, ending.signal];
    return { ...context, signal: AbortSignal.any(signals) };
  });
  const messages = passed(guard, query as never, scanner, ending);
  const done = { done: true, value: undefined };
  let isLeft = false;
  // The reader leaves: the scan and the request of the model end at once.
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
  /** Places of the blocks that are said in pieces, by the call of the subagent; the main agent has none. */
  const open = new Map<unknown, unknown[]>();
  try {
    for await (const message of query) {
      const { type, index } = valuesOf(message['event']);
      const { parent_tool_use_id: agent = null } = message;
      if (type === 'content_block_start') open.set(agent, [...(open.get(agent) ?? []), index]);
      // The model begins again: what has no complete message never gets it.
      if (type === 'message_start') open.delete(agent);
      // Events of a block are written from its complete message, so that nothing else leaves in them.
      if (String(type).startsWith('content_block_')) continue;
      const stop = notesOf(guard).stopOf(message);
      if (stop !== undefined) {
        yield* refusalMessages(stop, message);
        continue;
      }
      const { decision, message: shown } = await scanner.shown(message);
      if (ending.signal.aborted) return;
      if (decision.action !== 'block') yield* [...partial(shown, open.get(agent) ?? []), shown];
      else if (NEEDED.has(message['type'])) {
        ending.abort();
        yield* refusalMessages(guard.message(decision), message);
        return;
      }
    }
  } catch (thrown) {
    // A query that was closed may fail.
    if (!ending.signal.aborted) throw thrown;
  } finally {
    ending.abort();
  }
}

/** Writes the events of a scanned message whose blocks came in pieces. @param open loses the places of its blocks */
function partial({ type, parent_tool_use_id, session_id, ...rest }: Values, open: unknown[]): Values[] {
  const blocks = type === 'assistant' ? blocksOf(rest).slice(0, open.length) : [];
  return blocks
    .flatMap((block) => eventsOf(block, open.shift()))
    .map((event) => {
      return { type: 'stream_event', event, parent_tool_use_id, session_id, uuid: crypto.randomUUID() };
    });
}

/** Writes a block as its start, its text in a single piece, and its end. */
function eventsOf(block: Values, index: unknown): Values[] {
  const { type } = block;
  const isText = type === 'text' || type === 'thinking';
  const content_block = isText ? { ...block, [type]: '' } : block;
  const delta = isText ? [{ type: `${type}_delta`, [type]: block[type] }] : [];
  return [
    { type: 'content_block_start', index, content_block },
    ...delta.map((each) => ({ type: 'content_block_delta', index, delta: each })),
    { type: 'content_block_stop', index },
  ];
}
