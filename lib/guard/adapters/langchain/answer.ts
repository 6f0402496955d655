/** Decides about answers of a LangChain model. */

import type { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { objectOf } from '../../../core/json.ts';
import { blockedIfMasked, moreTelling, unreadable } from '../../decisions.ts';
import { asReadable, contentText, isPlain, joined, lines } from '../../readable.ts';
import type { Decision, Guard, GuardContext, ToolCall } from '../../types.ts';
import { decidedTexts, isSign, type Values, withoutPieces, withoutSigns, writtenArguments } from '../values.ts';

export type Answer = AIMessage | AIMessageChunk;

/** An answer that may be shown, or the decision that refuses it. */
export type Checked = { readonly message: Answer } | { readonly blocked: Decision };

/** Blocks that hold tool arguments, which are JSON. */
const CALLS: readonly unknown[] = ['tool_use', 'tool_call_chunk', 'server_tool_call_chunk'];

/** Returns the content's blocks. */
export function blocksOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [content];
}

/** Returns the text of a block; undefined if it is not a text block. */
export function blockText(block: unknown): string | undefined {
  if (typeof block === 'string') return block;
  const { type, text } = objectOf(block);
  return type === 'text' && typeof text === 'string' ? text : undefined;
}

/** Returns the reasoning of a block; undefined if it is not a reasoning block. */
export function reasoningIn(block: unknown): string | undefined {
  const { type, reasoning, thinking } = objectOf(block);
  const words = { reasoning, thinking }[String(type)] ?? (type === 'thinking' ? '' : undefined);
  return typeof words === 'string' ? words : undefined;
}

/** Decides about a complete answer. If anything is masked, only its text and tool calls are kept. */
export async function checkedAnswer(
  guard: Guard,
  message: Answer,
  context: GuardContext,
  canMask = true,
): Promise<Checked> {
  const texts = blocksOf(message.content).map((block) => blockText(block) ?? '');
  const [text, others] = await Promise.all([
    decidedTexts(guard, texts, context),
    decisionAboutOthers(guard, message, context),
  ]);
  const decision = moreTelling(others, text);
  if (decision.action === 'block' || (decision.action === 'mask' && !canMask))
    return { blocked: blockedIfMasked(decision) };
  if (decision.action !== 'mask') return { message: wholeAnswer(message) };
  return { message: maskedAnswer(message, text.action === 'mask' ? (text.text ?? '') : texts.join('')) };
}

/**
 * Decides about everything but an answer's text: reasoning, tool calls, and other members and blocks that hold text.
 * @param thought the reasoning already shown @returns undefined if there is nothing to scan
 */
export async function decisionAboutOthers(
  guard: Guard,
  message: Answer,
  context: GuardContext,
  thought = '',
): Promise<Decision | undefined> {
  try {
    const calls: ToolCall[] = [];
    const text = othersIn(message, thought, calls);
    const distinct = [...new Map(calls.map((call) => [asReadable(call), call])).values()];
    const decisions = await Promise.all([
      ...distinct.map((call) => guard.tool(call, context)),
      ...(text === '' ? [] : [guard.output(text, context)]),
    ]);
    return decisions.reduce<Decision | undefined>(moreTelling, undefined);
  } catch {
    return unreadable('output');
  }
}

/** Removes the tool calls from a value, both parsed and as the model wrote them. @returns the rest */
function withoutCalls(value: unknown, calls: ToolCall[]): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutCalls(each, calls));
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  const { name, args, arguments: written, input, ...rest } = value as Values;
  const isCall = args !== undefined || written !== undefined || CALLS.includes(rest['type']);
  // A reader may use any of these forms.
  const inputs = isCall ? [args, written, input].filter((each) => each !== undefined) : [];
  if (isCall && inputs.length === 0) inputs.push({});
  for (const each of inputs)
    calls.push({ server: 'langchain', tool: String(name ?? ''), input: writtenArguments(each) });
  const others = isCall ? { ...rest, ...(typeof name === 'string' ? {} : { author: name }) } : value;
  return Object.fromEntries(Object.entries(others).map(([member, each]) => [member, withoutCalls(each, calls)]));
}

/** Reads members other than text and calls. @param calls receives the calls found in them */
function othersIn(message: Answer, thought: string, calls: ToolCall[]): string {
  const { content, id, name, additional_kwargs, response_metadata, usage_metadata } = wholeAnswer(message);
  const { tool_calls, invalid_tool_calls, tool_call_chunks } = message as AIMessageChunk;
  const blocks = blocksOf(content);
  const reasoning = blocks.flatMap((block) => reasoningIn(block) ?? []);
  const rest = blocks.map((block) => withoutCalls(withoutSaid(block), calls));
  const called = withoutCalls([tool_calls, invalid_tool_calls, tool_call_chunks, additional_kwargs], calls);
  const members = withoutSigns({ id, author: name, called, response_metadata, usage_metadata }, isSign);
  return lines([
    reasoning.length === 0 ? '' : joined([thought, ...reasoning]),
    contentText(rest.filter((block) => withoutSigns(block, isSign) !== undefined)),
    asReadable(members),
  ]);
}

/** Returns a block without its text and its reasoning. */
function withoutSaid(block: unknown): unknown {
  if (typeof block !== 'object' || block === null) return undefined;
  if (blockText(block) !== undefined) return { ...block, text: undefined };
  // The member is named after the block's type.
  return reasoningIn(block) === undefined ? block : { ...block, [String(objectOf(block)['type'])]: undefined };
}

/** Returns an answer without members that repeat its text in pieces. */
export function wholeAnswer<Each extends Answer>(message: Each): Each {
  const { additional_kwargs, response_metadata } = message;
  return copyOf(message, {
    additional_kwargs: withoutPieces(additional_kwargs),
    response_metadata: withoutPieces(response_metadata),
  });
}

/** Returns a masked answer without anything that may repeat its text. */
export function maskedAnswer<Each extends Answer>(message: Each, content: string): Each {
  const response_metadata = signsIn(message.response_metadata);
  return copyOf(message, { content, additional_kwargs: {}, response_metadata });
}

/** Returns the members that hold no text. */
export function signsIn(members: Values = {}): Values {
  const isBare = ([name, value]: [string, unknown]) => withoutSigns({ [name]: value }, isSign) === undefined;
  return Object.fromEntries(Object.entries(members).filter(isBare));
}

/** Copies an answer with changes. */
export function copyOf<Each extends Answer>(
  message: Answer,
  changes: Values,
  create = message.constructor as ClassOf<Each>,
): Each {
  const { content, id, name, additional_kwargs, response_metadata, usage_metadata, ...calls } = message;
  const { tool_calls, invalid_tool_calls, tool_call_chunks: chunks = [] } = calls as Partial<AIMessageChunk>;
  const called = chunks.length > 0 ? { tool_call_chunks: chunks } : { tool_calls, invalid_tool_calls };
  const known = { content, id, name, additional_kwargs, response_metadata, usage_metadata };
  return new create({ ...known, ...called, ...changes });
}

type ClassOf<Each> = new (fields: object) => Each;
