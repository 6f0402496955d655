/** Decides about the parts of a complete SDK answer; the guard's message replaces a refused answer. */
import { isObject, objectOf } from '../../../core/json.ts';
import { blockedIfMasked } from '../../decisions.ts';
import { contentText, isPlain } from '../../readable.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import {
  decidedText,
  decidedTexts,
  isSign,
  type Values,
  withoutLogprobs,
  withoutSigns,
  writtenArguments,
} from '../values.ts';

export type Part = Values & { readonly type: string };

/** Server name in the SDK's tool events. */
export const SERVER = 'ai-sdk';

/** Decides about a part; text and reasoning are decided about separately. */
export async function decisionAbout(guard: Guard, part: Part, context: GuardContext): Promise<Decision> {
  if (part.type !== 'tool-call' && part.type !== 'tool-result') return decisionOn(guard, part, context);
  const { input, result, toolName, ...rest } = part;
  const named = { server: SERVER, tool: String(toolName) };
  // The provider ran the tool, so only its result can be scanned.
  const call = part.type === 'tool-result' ? { output: result ?? '' } : { input: writtenArguments(input) };
  const [decision, other] = await Promise.all([
    guard.tool({ ...named, ...call }, context),
    decisionOn(guard, rest, context),
  ]);
  return other.action === 'block' ? other : decision;
}

/** Decides about a value; a value that would need masking is blocked. */
export async function decisionOn(guard: Guard, value: unknown, context: GuardContext): Promise<Decision> {
  const read = () => contentText(withoutSigns(withErrorsRead(value), isSign));
  return blockedIfMasked(await decidedText(guard, read, context));
}

/** Returns a value with its errors made readable: message, other members and cause. */
export function withErrorsRead(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withErrorsRead);
  const isError = value instanceof Error;
  if (!isError && !(isObject(value) && isPlain(value))) return value;
  // The application wrote the request itself.
  const { requestBodyValues: _, responseHeaders: __, ...members } = value as unknown as Values;
  const all: Values = isError ? { message: value.message, cause: value.cause, ...members } : value;
  return Object.fromEntries(Object.entries(all).map(([name, each]) => [name, withErrorsRead(each)]));
}

/** A model's complete answer. */
export interface Generated extends Values {
  readonly content: readonly Part[];
  readonly response?: Values;
}

/** The answer if it may pass; otherwise the decision that blocks the answer. */
interface Checked {
  readonly decision?: Decision | undefined;
  readonly answer: Generated;
}

/** Decides about an answer, masks its texts, and drops members that repeat the texts. */
export async function checked(guard: Guard, generated: Generated, context: GuardContext): Promise<Checked> {
  const { content, request, response, usage, finishReason, ...others }: Values = withoutLogprobs(generated);
  const parts = (content as readonly Part[]).map(withoutLogprobs);
  const said = (kind: string) => decidedTexts(guard, parts.filter(({ type }) => type === kind).map(textOf), context);
  // The body holds the answer in the provider's format; the application wrote the request itself.
  const { body: _, headers, ...ids } = objectOf(response);
  const [text, reasoning, repeated, ...decided] = await Promise.all([
    said('text'),
    said('reasoning'),
    decisionOn(guard, [others, ...parts.filter(isSaid).map(({ text: __, ...rest }) => rest)], context),
    decisionOn(guard, { usage, finishReason, ...ids }, context),
    ...parts.filter((part) => !isSaid(part)).map((part) => decisionAbout(guard, part, context)),
  ]);
  const isMasked = text.action === 'mask' || reasoning.action === 'mask';
  const decision = [text, reasoning, ...(isMasked ? [] : [repeated]), ...decided].find(
    ({ action }) => action === 'block',
  );
  const answer = { usage, finishReason, ...(request === undefined ? {} : { request }) };
  if (isMasked)
    return { decision, answer: { ...answer, content: masked(parts, text, reasoning), warnings: [], response: ids } };
  const known = response === undefined ? {} : { response: { ...ids, ...(headers === undefined ? {} : { headers }) } };
  return { decision, answer: { ...others, ...answer, ...known, content: parts } };
}

/**
 * Puts the masked text into the first text part. Members that may repeat the text are dropped, and so is reasoning that
 * would need masking.
 */
function masked(parts: readonly Part[], text: Decision, reasoning: Decision): readonly Part[] {
  const first = parts.find(({ type }) => type === 'text');
  return parts.flatMap((part) => {
    const { type } = part;
    if (!isSaid(part)) return [part];
    const decision = type === 'text' ? text : reasoning;
    if (decision.action !== 'mask') return [{ type, text: textOf(part) }];
    return part === first ? [{ type, text: decision.text ?? '' }] : [];
  });
}

function isSaid({ type }: Part): boolean {
  return type === 'text' || type === 'reasoning';
}

function textOf({ text }: Part): string {
  return String(text);
}

/** Versions of the SDK's model interface: `ai` 5 has v2, 6 has v3, 7 has v4. */
const SPECIFICATIONS = ['v2', 'v3', 'v4'] as const;
export type Specification = (typeof SPECIFICATIONS)[number];

/** Checks a model's specification version. @throws TypeError for an unknown one */
export function versionOf(specification: unknown): Specification {
  const version = SPECIFICATIONS.find((known) => known === specification);
  if (version !== undefined) return version;
  const names = SPECIFICATIONS.join(', ');
  throw new TypeError(`The guard knows models of the specifications ${names}, not ${String(specification)}.`);
}

function finishReason(version: Specification) {
  return version === 'v2' ? 'content-filter' : { unified: 'content-filter', raw: 'aisec' };
}

const NOTHING_USED = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };

function usageOf(version: Specification) {
  if (version === 'v2') return NOTHING_USED;
  const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  return { inputTokens: none, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };
}

/**
 * Returns an answer that refuses the call.
 * @param generated the blocked answer: its token usage is kept, its text is not
 */
export function refusedResult(
  guard: Guard,
  decision: Decision,
  version: Specification,
  generated?: Generated,
): Generated {
  const { id, timestamp, modelId } = generated?.response ?? {};
  return {
    content: [{ type: 'text', text: guard.message(decision) }],
    finishReason: finishReason(version),
    usage: generated?.['usage'] ?? usageOf(version),
    warnings: [],
    ...(generated?.response === undefined ? {} : { response: { id, timestamp, modelId } }),
  };
}

/** Returns the parts that end a stream with the guard's message. */
export function refusalParts(guard: Guard, decision: Decision, version: Specification): Part[] {
  const id = 'aisec-refusal';
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: guard.message(decision) },
    { type: 'text-end', id },
    { type: 'finish', finishReason: finishReason(version), usage: usageOf(version) },
  ];
}
