/** Says no in the forms of the Claude Agent SDK, which marks a refusal by the stop reason `refusal`. */
import type { Values } from '../texts.ts';

const REFUSAL = 'refusal';
const NOTHING_USED = { input_tokens: 0, output_tokens: 0 };

/** Turns the result of a refused turn into a refusal: its usage stays, its texts do not. */
export function refusedResult(result: Values, text: string): Values {
  const { structured_output: _, deferred_tool_use: __, errors: ___, ...rest } = result;
  return {
    ...{ ...rest, subtype: 'success', is_error: true, stop_reason: REFUSAL, result: text },
    permission_denials: [],
  };
}

/**
 * Writes the last messages of a query that was ended: events that end its stream, where one is under way, an assistant's
 * message and a result.
 * @param last the message that was refused; nothing of its content is used
 * @param event the last event of the main answer that was shown
 */
export function refusalMessages(text: string, last: Values, event: Values | undefined): Values[] {
  const session_id = last['session_id'];
  const own = () => ({ parent_tool_use_id: null, session_id, uuid: crypto.randomUUID() });
  const isStreaming = event !== undefined && event['type'] !== 'message_stop';
  const events = isStreaming
    ? closing(text, event).map((each) => ({ type: 'stream_event', event: each, ...own() }))
    : [];
  const message = {
    ...{ id: 'aisec-refusal', type: 'message', role: 'assistant', model: '<synthetic>' },
    ...{ content: [{ type: 'text', text }], stop_reason: REFUSAL, stop_sequence: null, usage: NOTHING_USED },
  };
  // What the model used until then is known only to its process, which was ended.
  const result = {
    ...{ type: 'result', subtype: 'success', duration_ms: 0, duration_api_ms: 0, num_turns: 0, total_cost_usd: 0 },
    ...{ usage: NOTHING_USED, modelUsage: {}, session_id, uuid: crypto.randomUUID() },
  };
  return [
    ...events,
    { type: 'assistant', message, ...own() },
    refusedResult(last['type'] === 'result' ? last : result, text),
  ];
}

function closing(text: string, { type, index }: Values): Values[] {
  const isOpen = type === 'content_block_start' || type === 'content_block_delta';
  const next = typeof index === 'number' ? index + 1 : 0;
  return [
    ...(isOpen ? [{ type: 'content_block_stop', index }] : []),
    { type: 'content_block_start', index: next, content_block: { type: 'text', text: '', citations: null } },
    { type: 'content_block_delta', index: next, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: next },
    { type: 'message_delta', delta: { stop_reason: REFUSAL, stop_sequence: null }, usage: { output_tokens: 0 } },
    { type: 'message_stop' },
  ];
}
