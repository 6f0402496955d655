/** Says no in the forms of the Claude Agent SDK, which marks a refusal by the stop reason `refusal`. */
import type { Values } from '../texts.ts';

const REFUSAL = 'refusal';
const NOTHING_USED = { input_tokens: 0, output_tokens: 0 };

/**
 * Writes the last messages of a query that was ended: an assistant's message and a result.
 * @param refused the message that was refused: of a result its usage stays, and no text
 */
export function refusalMessages(text: string, refused: Values): Values[] {
  const { session_id } = refused;
  const message = {
    ...{ id: 'aisec-refusal', type: 'message', role: 'assistant', model: '<synthetic>' },
    ...{ content: [{ type: 'text', text }], stop_reason: REFUSAL, stop_sequence: null, usage: NOTHING_USED },
  };
  // What the model used before a result is known only to its process, which was ended.
  const unknown = { duration_ms: 0, duration_api_ms: 0, num_turns: 0, total_cost_usd: 0, usage: NOTHING_USED };
  const used = Object.entries(unknown).map(([name, none]) => [
    name,
    refused['type'] === 'result' ? refused[name] : none,
  ]);
  const result = { type: 'result', subtype: 'success', is_error: true, stop_reason: REFUSAL, result: text };
  return [
    { type: 'assistant', message, parent_tool_use_id: null, session_id, uuid: crypto.randomUUID() },
    {
      ...{ ...(Object.fromEntries(used) as Values), ...result, modelUsage: {}, permission_denials: [] },
      ...{ session_id, uuid: crypto.randomUUID() },
    },
  ];
}
