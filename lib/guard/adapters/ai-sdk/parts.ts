/** The parts of an answer of the SDK, and the decision about each. */
import { isObject } from '../../../core/json.ts';
import { isPlain } from '../../readable/text.ts';
import { contentText } from '../../readable.ts';
import { blockedIfMasked } from '../../telling.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { isSign, type Values, withoutSigns } from '../texts.ts';
import { argumentsOf, decidedText } from '../whole.ts';

export type Part = Values & { readonly type: string };

/** The name of the server in the events of tools of the SDK. */
export const SERVER = 'ai-sdk';

/** Decides about a part; texts and reasoning have decisions of their own. */
export async function decisionAbout(guard: Guard, part: Part, context: GuardContext): Promise<Decision> {
  if (part.type !== 'tool-call' && part.type !== 'tool-result') return decisionOn(guard, part, context);
  const { input, result, toolName, ...rest } = part;
  const named = { server: SERVER, tool: String(toolName) };
  // The provider ran the tool of a result, so only the result can be scanned.
  const call = part.type === 'tool-result' ? { output: result ?? '' } : { input: argumentsOf(input) };
  const [decision, other] = await Promise.all([
    guard.tool({ ...named, ...call }, context),
    decisionOn(guard, rest, context),
  ]);
  return other.action === 'block' ? other : decision;
}

/** Decides about a value in which no text is replaced by its mask. */
export async function decisionOn(guard: Guard, value: unknown, context: GuardContext): Promise<Decision> {
  const read = () => contentText(withoutSigns(withErrorsRead(value), isSign));
  return blockedIfMasked(await decidedText(guard, read, context));
}

/** Returns a value with its errors in a form that can be read: the message, the other members, and the cause. */
export function withErrorsRead(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withErrorsRead);
  const isError = value instanceof Error;
  if (!isError && !(isObject(value) && isPlain(value))) return value;
  // The request is the application's own.
  const { requestBodyValues: _, responseHeaders: __, ...members } = value as unknown as Values;
  const all: Values = isError ? { message: value.message, cause: value.cause, ...members } : value;
  return Object.fromEntries(Object.entries(all).map(([name, each]) => [name, withErrorsRead(each)]));
}
