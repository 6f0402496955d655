/** Builds the content to scan and the scan's arguments. */
import { isObject, present } from '../core/json.ts';
import { newMessages } from './conversation.ts';
import { Unscanned } from './decisions.ts';
import { ESCAPE, isEncoded, withEscapesRead } from './readable/json.ts';
import { asReadable, contentText, decoded, lines, messageText } from './readable.ts';
import type { GuardContext, Message, ToolCall } from './types.ts';

/** Context members that become scan arguments. */
const FORWARDED = [
  ...(['session_id', 'transaction_id', 'app_name', 'app_user', 'ai_model', 'user_ip'] as const),
  ...(['agent_id', 'agent_version', 'agent_arn'] as const),
];

/** A text to scan. */
export interface TextContent {
  readonly kind: 'input' | 'output';
  readonly text: string;
  readonly grounding?: string;
}

/** One content to scan. */
export type Content = TextContent | { readonly kind: 'tool'; readonly event: object };

/** Returns the arguments that come from the context. */
export function givenIn(context: GuardContext): Readonly<Record<string, unknown>> {
  return present(Object.fromEntries(FORWARDED.map((name) => [name, context[name]])));
}

/** Returns the scan arguments that hold a content. */
export function argumentsOf(content: Content): Readonly<Record<string, unknown>> {
  if (content.kind === 'tool') return { tool_event: content.event };
  if (content.kind === 'input') return { prompt: content.text };
  return present({ response: content.text, context: content.grounding });
}

/** Returns the new content of a prompt or a conversation. @throws Unscanned */
export function inputOf(content: string | readonly Message[]): TextContent {
  if (typeof content === 'string') return { kind: 'input', text: content };
  if (!Array.isArray(content) || content.length === 0) throw new Unscanned('usage');
  return { kind: 'input', text: lines(newMessages(content).map(messageText)) };
}

/** Returns an answer as content to scan. @throws Unscanned */
export function answerContent(text: string, grounding: string | undefined): TextContent {
  if (typeof text !== 'string') throw new Unscanned('usage');
  return { kind: 'output', text, ...present({ grounding }) };
}

/**
 * Returns the scans of a tool call: the call in the service's format, and its result as a prompt.
 * @throws Unscanned
 */
export function callOf(call: ToolCall, resultsAsPrompts: boolean): readonly Content[] {
  if (!isObject(call)) throw new Unscanned('usage');
  const { server, tool, input, output, ecosystem = 'mcp', method = 'tools/call' } = call;
  const isNamed = typeof server === 'string' && typeof tool === 'string';
  if (!isNamed || (input === undefined && output === undefined)) throw new Unscanned('usage');
  const said = output === undefined ? '' : resultText(output);
  const metadata = { ecosystem, method, server_name: server, tool_invoked: tool };
  const event = { metadata, ...present({ input: jsonOf(input), output: jsonOf(output) }) };
  const asPrompt = resultsAsPrompts && said.trim() !== '' ? [{ kind: 'input', text: said } as const] : [];
  return [{ kind: 'tool', event }, ...asPrompt];
}

/** Reads a result; decodes a text that is JSON. */
function resultText(output: unknown): string {
  if (typeof output !== 'string') return contentText(output);
  return isEncoded(output) ? contentText(decoded(output)) : withEscapesRead(output);
}

/** Returns an input or a result in the service's format: JSON with no needless escapes. */
function jsonOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && !isEncoded(value)) return withEscapesRead(value);
  const given = typeof value === 'string' ? decoded(value) : value;
  // Refuses values that JSON would drop.
  asReadable(given);
  const json = typeof value === 'object' || given !== value ? JSON.stringify(given) : String(value);
  // JSON inside a text has escapes of its own.
  return ESCAPE.test(json) ? withEscapesRead(json) : json;
}
