/** Drives the Claude Agent SDK adapter as the SDK's program does: hooks, and the messages of a query. */
import { guardHooks, guardMessages } from '../../../../lib/guard/adapters/claude-agent.ts';
import type { Guard } from '../../../../lib/guard/guard.ts';
import type { Driver } from './behaviours.ts';

export type Values = Readonly<Record<string, unknown>>;
export type Message = Values & { readonly type: string };

/** A query that yields the test's messages, and records its end. */
export class Query {
  closed = 0;
  /** It was closed before the answer was complete. */
  isCancelled = false;
  readonly #messages: readonly Message[];
  readonly #leaving: AbortController | undefined;

  constructor(messages: readonly Message[], leaving?: AbortController) {
    this.#messages = messages;
    this.#leaving = leaving;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Message, void> {
    const isStream = this.#messages.some(({ type }) => type === 'stream_event');
    this.isCancelled = isStream;
    for (const message of this.#messages) {
      if (message.type === 'assistant') this.#leaving?.abort();
      if (this.closed > 0) return;
      if (message.type === 'result') this.isCancelled = false;
      yield { session_id: 's', uuid: 'u', parent_tool_use_id: null, ...message };
    }
    this.isCancelled = false;
  }

  close(): void {
    this.closed += 1;
  }
}

export const hook = (guard: Guard, event: keyof ReturnType<typeof guardHooks>, input: Values): Promise<Values> => {
  const [entry] = guardHooks(guard)[event];
  const given = { hook_event_name: event, session_id: 's', ...input } as never;
  return (
    entry?.hooks[0]?.(given, undefined, { signal: new AbortController().signal }) ?? Promise.reject(new Error('none'))
  );
};
export const event = (values: Values): Message => ({ type: 'stream_event', event: values });
export const assistant = (...content: readonly Values[]): Message => ({
  type: 'assistant',
  message: { id: 'msg_1', role: 'assistant', content },
});
export const user = (content: unknown, rest: Values = {}): Message => ({
  type: 'user',
  message: { role: 'user', content },
  ...rest,
});
export const result = (values: Values): Message => ({
  type: 'result',
  subtype: 'success',
  stop_reason: 'end_turn',
  ...values,
});

/** The events of a text in pieces of seven characters; the complete message comes before their end, as in the SDK. */
export function streamed(text: string, kind = 'text', index = 0): Message[] {
  const pieces = text.match(/.{1,7}/gsu) ?? [];
  return [
    event({ type: 'content_block_start', index, content_block: { type: kind, [kind]: '' } }),
    ...pieces.map((piece) =>
      event({ type: 'content_block_delta', index, delta: { type: `${kind}_delta`, [kind]: piece } }),
    ),
    assistant({ type: kind, [kind]: text }),
    event({ type: 'content_block_stop', index }),
  ];
}

/** Joins the texts of complete messages. */
const textIn = (passed: readonly Message[]) =>
  passed
    .filter(({ type }) => type === 'assistant')
    .flatMap(({ message }) => (message as { content: readonly Values[] }).content)
    .map(({ text }) => text ?? '')
    .join('');

/** Reads all messages of a guarded query. */
export async function said(guard: Guard, messages: readonly Message[], leaving?: AbortController) {
  const query = new Query(messages, leaving);
  const passed: Message[] = [];
  const reading = guardMessages<Message>(guard, query);
  leaving?.signal.addEventListener('abort', () => void reading.return(undefined));
  for await (const message of reading) passed.push(message);
  return { passed, query, all: JSON.stringify(passed), last: passed.at(-1) };
}

const DECODED = 'the SDK decodes arguments before a hook sees them, and runs the tool with what the hook saw';
const LACKS = ['arguments that have a member twice', 'arguments that are no JSON'];

export const claudeAgent: Driver = {
  adapter: 'claude-agent',
  isWhole: true,
  without: Object.fromEntries(
    LACKS.flatMap((what) =>
      ['plain', 'streamed'].map((form) => [`does not run a call with ${what}, ${form}`, DECODED]),
    ),
  ),
  answer: async (guard, { prompt, texts, streamed: isStreamed, leaving }) => {
    const { decision, reason } = await hook(guard, 'UserPromptSubmit', { prompt });
    const isAsked = decision === undefined;
    const told = texts.flatMap((text, at) =>
      isStreamed ? streamed(text, 'text', at) : [assistant({ type: 'text', text })],
    );
    const end = result({ result: isAsked ? (texts.at(-1) ?? '') : `In words of the SDK: ${String(reason)}` });
    const stop = isStreamed ? [event({ type: 'message_stop' })] : [];
    const { passed, query, last } = await said(guard, isAsked ? [...told, ...stop, end] : [end], leaving);
    return {
      ...{
        shown: textIn(passed),
        refused: !isAsked || last?.['stop_reason'] === 'refusal',
      },
      ...{ asked: isAsked, cancelled: query.isCancelled },
    };
  },
  call: async (guard, { input, run, streamed: isStreamed }) => {
    const send = { tool_name: 'mcp__mail__send', tool_use_id: 't1' };
    const call = { type: 'tool_use', id: 't1', name: 'mcp__mail__send', input: JSON.parse(input) as unknown };
    const delta = { type: 'input_json_delta', partial_json: input };
    const events = [
      event({ type: 'content_block_start', index: 0, content_block: { ...call, input: {} } }),
      event({ type: 'content_block_delta', index: 0, delta }),
      event({ type: 'content_block_stop', index: 0 }),
    ];
    const calling = isStreamed ? [...events, assistant(call)] : [assistant(call)];
    const specific = (output: Values) => (output['hookSpecificOutput'] ?? {}) as Values;
    const before = specific(await hook(guard, 'PreToolUse', { ...send, tool_input: call.input }));
    let ran = false;
    let response: unknown = before['permissionDecisionReason'];
    if (before['permissionDecision'] === undefined) {
      ran = true;
      try {
        response = run();
        const after = specific(await hook(guard, 'PostToolUse', { ...send, tool_response: response }));
        response = after['updatedToolOutput'] ?? response;
      } catch (error) {
        response = String(error);
        await hook(guard, 'PostToolUseFailure', { ...send, error: response });
      }
    }
    const gate = await hook(guard, 'PostToolBatch', { tool_calls: [{ ...send, tool_response: response }] });
    const content = typeof response === 'string' ? response : JSON.stringify(response);
    const results = user([{ type: 'tool_result', tool_use_id: 't1', content }], { tool_use_result: response });
    const { all } = await said(guard, [...calling, results, result({ result: 'Sent.' })]);
    return { ran, read: JSON.stringify([gate, gate['continue'] === false ? '' : content, all]) };
  },
};
