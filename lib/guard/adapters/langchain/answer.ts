/** Decides about answers of a LangChain model. */
import type { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { contentText, joined, textOf } from '../../readable.ts';
import { blockedIfMasked, moreTelling } from '../../telling.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { argumentsOf } from '../whole.ts';
import { type Fields, wholeIn, withoutWords, wordsIn } from './shapes.ts';

export type Answer = AIMessage | AIMessageChunk;

/** An answer that may be shown, or the decision that refuses it. */
export type Checked = { readonly message: Answer } | { readonly blocked: Decision };

/** Blocks with arguments of a tool, which are JSON. */
const CALLS: readonly unknown[] = ['tool_use', 'tool_call_chunk', 'server_tool_call_chunk'];
/** Nothing is scanned of what has no text. */
const UNREADABLE: Decision = { kind: 'output', action: 'block', unscanned: 'unreadable', ms: 0, cached: false };

/** Returns the blocks of a content. */
export function blocksOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [content];
}

/** Returns the text of a block; undefined where it is no text. */
export function textIn(block: unknown): string | undefined {
  if (typeof block === 'string') return block;
  const { type, text } = (block ?? {}) as Fields;
  return type === 'text' && typeof text === 'string' ? text : undefined;
}

/** Returns the reasoning of a block; undefined where it is none. */
export function reasoningIn(block: unknown): string | undefined {
  const { type, reasoning, thinking } = (block ?? {}) as Fields;
  const words = { reasoning, thinking }[String(type)] ?? (type === 'thinking' ? '' : undefined);
  return typeof words === 'string' ? words : undefined;
}

/** Decides about a complete answer. Where anything is masked, its text and its tool calls are all that is left of it. */
export async function checkedAnswer(
  guard: Guard,
  message: Answer,
  context: GuardContext,
  canMask = true,
): Promise<Checked> {
  const texts = blocksOf(message.content).map((block) => textIn(block) ?? '');
  const [text, others] = await Promise.all([
    decisionAboutTexts(guard, texts, context),
    decisionAboutOthers(guard, message, context),
  ]);
  const decision = moreTelling(others, text);
  if (decision.action === 'block' || (decision.action === 'mask' && !canMask))
    return { blocked: blockedIfMasked(decision) };
  if (decision.action !== 'mask') return { message: withoutPieces(message) };
  return { message: maskedAnswer(message, text.action === 'mask' ? (text.text ?? '') : texts.join('')) };
}

async function decisionAboutTexts(guard: Guard, texts: readonly string[], context: GuardContext): Promise<Decision> {
  const [whole, read] = [texts.join(''), joined(texts)];
  const decision = await guard.output(read, context);
  // The parts once more must not be shown.
  return decision.action === 'mask' && read !== whole ? guard.output(whole, context) : decision;
}

/**
 * Decides about all of an answer but its text: reasoning, tool calls, and members and blocks with words.
 * @param thought reasoning that was shown before @returns undefined if there is nothing else
 */
export async function decisionAboutOthers(
  guard: Guard,
  message: Answer,
  context: GuardContext,
  thought = '',
): Promise<Decision | undefined> {
  try {
    const text = othersIn(message, thought);
    const calls = callsIn(message).map((call) => guard.tool({ server: 'langchain', ...call }, context));
    const decisions = await Promise.all(text === '' ? calls : [...calls, guard.output(text, context)]);
    return decisions.reduce<Decision | undefined>(moreTelling, undefined);
  } catch {
    return UNREADABLE;
  }
}

/** Returns what calls have besides their names and arguments, in each of their forms. */
function besideCalls(message: Answer): readonly Fields[] {
  const { tool_calls, invalid_tool_calls, tool_call_chunks } = message as AIMessageChunk;
  const raw = listOf((message.additional_kwargs as Fields)['tool_calls']);
  const calls = [tool_calls, invalid_tool_calls, tool_call_chunks, raw, raw.map((each) => each['function'])].flatMap(
    listOf,
  );
  return calls.map(({ name: _, args: __, arguments: ___, function: ____, ...more }) => more);
}

/** Lists the tool calls, in each of their forms: parsed, and as the model wrote them. */
function callsIn(message: Answer) {
  const { tool_calls: parsed = [], invalid_tool_calls: invalid = [] } = message;
  const additional: Fields = message.additional_kwargs;
  const raw = [additional['function_call'], ...listOf(additional['tool_calls']).map((each) => each['function'])];
  const blocks = listOf(message.content).filter(({ type }) => CALLS.includes(type));
  const written = [
    ...[...invalid, ...('tool_call_chunks' in message ? (message.tool_call_chunks ?? []) : [])],
    ...listOf(raw).map(({ name, arguments: args }) => ({ name, args })),
    ...blocks.map(({ name, input, args }) => ({ name, args: args ?? input })),
  ].map(({ name, args }) => ({ name, args: argumentsOf(args) }));
  const calls = [...parsed, ...written].map(({ name, args }) => ({ tool: String(name ?? ''), input: args }));
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()];
}

function listOf(value: unknown): readonly Fields[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  return all.filter((each): each is Fields => typeof each === 'object' && each !== null);
}

/** Reads what is neither text nor a call. */
function othersIn(message: Answer, thought: string): string {
  const { content, id, name, additional_kwargs, response_metadata, usage_metadata } = withoutPieces(message);
  const { tool_calls: _, ...additional } = additional_kwargs as Fields;
  const blocks = blocksOf(content);
  const reasoning = blocks.flatMap((block) => reasoningIn(block) ?? []);
  const rest = blocks.map(withoutSaid).filter((block) => wordsIn(block) !== undefined);
  const members = wordsIn({
    id,
    author: name,
    ...additional,
    calls: besideCalls(message),
    response_metadata,
    usage_metadata,
  });
  const thoughts = reasoning.length === 0 ? '' : joined([thought, ...reasoning]);
  return [thoughts, contentText(rest), textOf(members)].filter((text) => text !== '').join('\n');
}

/** Leaves a block without its text and its reasoning. */
function withoutSaid(block: unknown): unknown {
  if (typeof block !== 'object' || block === null) return undefined;
  if (textIn(block) !== undefined) return { ...block, text: undefined };
  // The member has the name of the type.
  return reasoningIn(block) === undefined ? block : { ...block, [String((block as Fields)['type'])]: undefined };
}

/** Returns an answer without its text in pieces. */
export function withoutPieces<Each extends Answer>(message: Each): Each {
  const { additional_kwargs: additional, response_metadata: metadata } = message;
  return copyOf(message, { additional_kwargs: wholeIn(additional), response_metadata: wholeIn(metadata) });
}

/** Returns what is left of an answer with a mask: nothing that may repeat its words. */
export function maskedAnswer<Each extends Answer>(message: Each, content: string): Each {
  const metadata = withoutWords(message.response_metadata);
  return copyOf(message, { content, additional_kwargs: {}, response_metadata: metadata });
}

/** Copies an answer, with changes. */
export function copyOf<Each extends Answer>(message: Answer, changes: Fields, create = classOf<Each>(message)): Each {
  const { content, id, name, additional_kwargs, response_metadata, usage_metadata, ...calls } = message;
  const { tool_calls, invalid_tool_calls, tool_call_chunks: chunks = [] } = calls as Partial<AIMessageChunk>;
  const called = chunks.length > 0 ? { tool_call_chunks: chunks } : { tool_calls, invalid_tool_calls };
  const known = { content, id, name, additional_kwargs, response_metadata, usage_metadata };
  return new create({ ...known, ...called, ...changes });
}

function classOf<Each>(message: object) {
  return message.constructor as new (
    fields: object,
  ) => Each;
}
