/** Tells the texts in messages of the Claude Agent SDK from the words of its protocol. */
import { type Values, valuesOf, withoutSigns } from '../texts.ts';

/** Members that hold ids and words of the protocol, and counts. */
const SIGNS = new Set([
  ...['type', 'subtype', 'id', 'uuid', 'role', 'model', 'request_id'],
  ...['session_id', 'parent_tool_use_id', 'tool_use_id'],
  ...['stop_reason', 'stop_sequence', 'terminal_reason', 'user_message_uuid', 'user_message_uuids', 'prompt_id'],
  ...['timestamp', 'usage', 'modelUsage'],
]);
/** Members with values of the protocol. */
const OWN = new Set(['message', 'delta', 'event']);
const SIGN = /^(?!.*\d{13})[\w.:<>/-]{0,128}$/;
/** Only the provider can read it: a proof of authorship, or encrypted. */
const SEALED = new Set(['signature', 'data', 'encrypted_content', 'encrypted_index']);
const SEAL = /^(?!.*\d{13})[\w+/=-]{8,}$/;

export function isSign(member: string, value: unknown): boolean {
  if (typeof value === 'boolean' || (typeof value === 'number' && value < 1e13)) return /^[a-z]\w{0,40}$/.test(member);
  return (SIGNS.has(member) && isBare(value)) || (SEALED.has(member) && typeof value === 'string' && SEAL.test(value));
}

function isBare(value: unknown): boolean {
  if (typeof value === 'string') return SIGN.test(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isBare);
}

/** Returns the blocks of a message; a message in another form has none. */
export function blocksOf({ message }: Values): readonly Values[] {
  const { content } = valuesOf(message);
  return Array.isArray(content) ? content.map(valuesOf) : [];
}

/** Returns the calls in a message that have an input; a result lists those that were refused. */
export function callsIn(message: Values): readonly Values[] {
  const { permission_denials: denials } = message;
  const refused = Array.isArray(denials) ? denials.map(valuesOf) : [];
  const calls = refused.map(({ tool_name: name, tool_input: input }): Values => ({ name, input }));
  return [...blocksOf(message), ...calls].filter(({ input = {} }) => input !== null && JSON.stringify(input) !== '{}');
}

/** Returns what has to be scanned of a message: its texts, which a reader joins behind an earlier text, and all else. */
export function contentOf({ result, ...message }: Values, blocks: readonly unknown[], earlier: string): unknown {
  const { content: _, ...rest } = valuesOf(message['message']);
  const others = blocks.length === 0 ? message : { ...message, message: rest };
  const texts = [earlier, result, ...blocks.map((block) => withoutSigns(block, isSign, OWN))];
  return [texts, withoutSigns(others, isSign, OWN)];
}
