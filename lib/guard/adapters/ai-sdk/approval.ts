/** Decides about tool calls of the Vercel AI SDK 7 before they run, for models without the middleware. */
import { objectOf } from '../../../core/json.ts';
import type { Guard } from '../../types.ts';
import { SERVER } from './parts.ts';
import type { ToolOptions } from './tools.ts';

type Asked = (input: unknown, options: unknown) => unknown;

/** What the guard returns of the results of `toolApproval` of `ai` 7. */
export type ToolApproval = 'user-approval' | { readonly type: 'denied'; readonly reason: string };

/** The part of the data of an approval that the guard reads. */
export interface ApprovalCall {
  readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown };
  readonly tools: unknown;
  readonly messages: readonly unknown[];
  readonly toolsContext?: unknown;
}

/**
 * Creates the `toolApproval` of `streamText`, `generateText` and agents of `ai` 7: a blocked call does not run, and the model
 * reads the guard's message. Such a function takes the place of `needsApproval`, so it is asked for every allowed call.
 */
export function toolApproval(
  guard: Guard,
  { context: contextOf }: ToolOptions = {},
): (call: ApprovalCall) => Promise<ToolApproval | undefined> {
  return async (call) => {
    const { toolName, input } = call.toolCall;
    const decision = await guard.tool({ server: SERVER, tool: toolName, input }, contextOf?.(call));
    if (decision.action !== 'allow') return { type: 'denied', reason: guard.message(decision) };
    return ownApproval(call);
  };
}

/** Asks a tool itself, as the SDK does where it has no `toolApproval`. */
async function ownApproval(call: ApprovalCall): Promise<ToolApproval | undefined> {
  const { toolName, toolCallId, input } = call.toolCall;
  const { needsApproval } = objectOf(ownOf(call.tools, toolName));
  const options = { toolCallId, messages: call.messages, context: ownOf(call.toolsContext, toolName) };
  const needed: unknown =
    typeof needsApproval === 'function' ? await (needsApproval as Asked)(input, options) : needsApproval;
  return needed === undefined || needed === null || needed === false ? undefined : 'user-approval';
}

function ownOf(values: unknown, name: string): unknown {
  const all = objectOf(values);
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
