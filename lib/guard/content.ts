/** A content to scan, and the arguments of its scan. */
import { jsonOrText } from './new-content.ts';
import type { GuardContext, ToolCall } from './types.ts';

/** Members of the context that are arguments of the scan. */
const FORWARDED = [
  'session_id',
  'transaction_id',
  'app_name',
  'app_user',
  'ai_model',
  'user_ip',
  'agent_id',
  'agent_version',
  'agent_arn',
] as const;

/** One content to scan. */
export type Content =
  | { readonly kind: 'input' | 'output'; readonly text: string; readonly grounding?: string }
  | { readonly kind: 'tool'; readonly event: object };

/** Returns the arguments that the context has. */
export function givenIn(context: GuardContext): Readonly<Record<string, unknown>> {
  const given: Record<string, unknown> = {};
  for (const name of FORWARDED) if (context[name] !== undefined) given[name] = context[name];
  return given;
}

/** Returns the arguments of the scan that hold a content. */
export function argumentsOf(content: Content): Readonly<Record<string, unknown>> {
  if (content.kind === 'tool') return { tool_event: content.event };
  if (content.kind === 'input') return { prompt: content.text };
  const { text, grounding } = content;
  return { response: text, ...(grounding === undefined ? {} : { context: grounding }) };
}

/** Returns the form in which the service takes a call of a tool. */
export function eventOf({ server, tool, input, output, ecosystem, method }: ToolCall): object {
  return {
    metadata: {
      ecosystem: ecosystem ?? 'mcp',
      method: method ?? 'tools/call',
      server_name: server,
      tool_invoked: tool,
    },
    // The service needs an input or an output.
    ...(output !== undefined && input === undefined ? {} : { input: jsonOrText(input ?? {}) }),
    ...(output === undefined ? {} : { output: jsonOrText(output) }),
  };
}
