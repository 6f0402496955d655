/** The parts of an answer of the SDK, and the decision about each. */
import { contentText, decoded } from '../../readable.ts';
import { blockedIfMasked } from '../../telling.ts';
import type { Decision, Guard, GuardContext, ToolCall } from '../../types.ts';
import { decidedText, unreadable } from '../whole.ts';
import { readableIn } from './members.ts';

export type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** The name of the server in the events of tools of the SDK. */
export const SERVER = 'ai-sdk';

/** Decides about a part; texts and reasoning have decisions of their own. */
export async function decisionAbout(guard: Guard, part: Part, context: GuardContext): Promise<Decision> {
  if (part.type !== 'tool-call' && part.type !== 'tool-result') return decisionOn(guard, part, context);
  const { input, result, toolName, ...rest } = part;
  const named = { server: SERVER, tool: String(toolName) };
  // The provider ran the tool of a result, so only the result can be scanned.
  const call = part.type === 'tool-result' ? { ...named, output: result ?? '' } : callOf(named, input);
  const [decision, other] = await Promise.all([guard.tool(call, context), decisionOn(guard, rest, context)]);
  return other.action === 'block' ? other : decision;
}

/** Decides about a value in which no text is replaced by its mask. */
export async function decisionOn(guard: Guard, value: unknown, context: GuardContext): Promise<Decision> {
  return blockedIfMasked(await decidedText(guard, () => contentText(readableIn(value)), context));
}

/** Returns a call with its arguments as the SDK decodes them, which takes none for an empty object. */
function callOf(named: Pick<ToolCall, 'server' | 'tool'>, input: unknown): ToolCall {
  try {
    const isNone = input === undefined || (typeof input === 'string' && input.trim() === '');
    return { ...named, input: isNone ? {} : typeof input === 'string' ? decoded(input) : input };
  } catch (thrown) {
    return unreadable(thrown);
  }
}
