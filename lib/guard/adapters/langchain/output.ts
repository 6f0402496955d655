/** Decides about complete answers of a LangChain model. */
import { FILES, textOf } from '../../new-content.ts';
import { blockedIfMasked } from '../../telling.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { copyOf, type Generation, type LangMessage, made, type ToolCallOf } from './messages.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Members that have text of the model, by the type of the block. */
const TEXT_MEMBERS: Readonly<Record<string, string>> = { text: 'text', reasoning: 'reasoning', thinking: 'thinking' };
/** The text again, in pieces or in the form of the provider: no scan recognises it there. */
const DROPPED = ['logprobs', '__raw_response'];
/** Members whose value is a name. */
const NAMES = [
  ...['type', 'id', 'index', 'role', 'object', 'status', 'phase', 'output_version', 'finish_reason', 'stop_reason'],
  ...['stop_sequence', 'model', 'model_id', 'model_name', 'model_provider', 'provider', 'service_tier'],
  'system_fingerprint',
];
const MAX_NAME = 200;
const MAX_KEY = 64;

/** Returns the name of the member of a block that has its text, if its form is known. */
export function textMember(block: unknown): string | undefined {
  if (typeof block !== 'object' || block === null) return undefined;
  const member = TEXT_MEMBERS[String((block as Fields)['type'])];
  return member !== undefined && typeof (block as Fields)[member] === 'string' ? member : undefined;
}

/** Decides about an answer. @returns the answer, masked where the guard masks, or the decision that blocks it */
export async function checkedGeneration(
  guard: Guard,
  generation: Generation,
  context: GuardContext,
): Promise<Generation | { readonly blocked: Decision }> {
  const { message } = generation;
  const parts: readonly unknown[] = Array.isArray(message.content) ? message.content : [message.content];
  const content: unknown[] = [];
  for (const part of parts) {
    const member = textMember(part);
    const text = member === undefined ? part : (part as Fields)[member];
    if (typeof text !== 'string') {
      content.push(part);
      continue;
    }
    const decision = await guard.output(text, context);
    if (decision.action === 'block') return { blocked: decision };
    const shown = decision.action === 'mask' ? (decision.text ?? '') : text;
    content.push(member === undefined ? shown : { ...(part as Fields), [member]: shown });
  }
  const blocked = await decisionAboutRest(guard, generation, context);
  if (blocked !== undefined) return { blocked };
  return withContent(generation, Array.isArray(message.content) ? content : content[0]);
}

/** Returns the answer as it is, or a copy without what is dropped. */
function withContent(generation: Generation, content: unknown): Generation {
  const { message, generationInfo } = generation;
  const text = textIn(content);
  const isSame = JSON.stringify(content) === JSON.stringify(message.content) && generation.text === text;
  const hasDropped = [generationInfo, message.response_metadata, message.additional_kwargs].some(hasDroppedMembers);
  if (isSame && !hasDropped) return generation;
  return generationOf(generation, { message: copyOf(message, { content, ...keptMembers(message) }), text });
}

/** Creates an answer of the same form, with other members. */
export function generationOf(like: Generation, changes: Partial<Generation>): Generation {
  const info = changes.generationInfo ?? like.generationInfo;
  const fields = { ...like, ...changes, ...(info === undefined ? {} : { generationInfo: kept(info) }) };
  return like.constructor === Object ? fields : made(like, fields);
}

/** Returns the members of a message that are more than content, without what is dropped. */
export function keptMembers({ additional_kwargs: additional = {}, response_metadata: metadata = {} }: LangMessage) {
  return { additional_kwargs: kept(additional), response_metadata: kept(metadata) };
}

function kept(members: Fields): Fields {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !DROPPED.includes(name)));
}

export function hasDroppedMembers(members: Fields | undefined): boolean {
  return DROPPED.some((name) => members?.[name] !== undefined);
}

function textIn(content: unknown): string {
  if (!Array.isArray(content)) return String(content ?? '');
  return content.map((part) => (textMember(part) === 'text' ? String((part as Fields)['text']) : '')).join('');
}

/**
 * Decides about content other than plain text: calls of tools, and blocks, members and metadata that may have text.
 * @param chunks what the answer was joined of: a later value may have replaced an earlier one
 * @returns the decision that blocks, if any does
 */
export async function decisionAboutRest(
  guard: Guard,
  { message, generationInfo }: Generation,
  context: GuardContext,
  chunks: readonly Generation[] = [],
): Promise<Decision | undefined> {
  const calls = message.tool_calls ?? [];
  for (const { name, args } of calls) {
    const decision = await guard.tool({ server: 'langchain', tool: name, input: args }, context);
    if (decision.action === 'block') return decision;
  }
  const { tool_calls: raw, ...additional } = kept(message.additional_kwargs ?? {});
  const rest = telling({
    content: Array.isArray(message.content) ? message.content.map(withoutText) : undefined,
    invalid_tool_calls: message.invalid_tool_calls,
    raw_tool_calls: Array.isArray(raw) ? raw.filter((each) => !isAmong(calls, each)) : raw,
    additional,
    metadata: kept(message.response_metadata ?? {}),
    info: kept(generationInfo ?? {}),
    chunks: chunks.map((chunk) => [kept(chunk.message.response_metadata ?? {}), kept(chunk.generationInfo ?? {})]),
    usage: message.usage_metadata,
  });
  if (rest === undefined) return undefined;
  // An unknown form cannot be masked.
  const decision = blockedIfMasked(await guard.output(JSON.stringify(rest), context));
  return decision.action === 'block' ? decision : undefined;
}

/** Leaves a block without its text, which was scanned, and of a file the texts beside it: the service scans no files. */
function withoutText(block: unknown): unknown {
  if (typeof block === 'string' || block === null || typeof block !== 'object') return undefined;
  if (FILES.includes(String((block as Fields)['type']))) return textOf(block) || undefined;
  const member = textMember(block);
  return member === undefined ? block : { ...block, [member]: undefined };
}

/** The provider's form of a call that was scanned. */
function isAmong(calls: readonly ToolCallOf[], raw: unknown): boolean {
  const { name, arguments: input } = ((raw as Fields | null)?.['function'] ?? {}) as Fields;
  try {
    const args = JSON.stringify(JSON.parse(String(input)));
    return calls.some((call) => call.name === name && JSON.stringify(call.args) === args);
  } catch {
    return false;
  }
}

/** Leaves of a model's report the members without text: numbers and names. */
export function namesIn(members: Fields): Fields {
  return Object.fromEntries(Object.entries(members).filter(([name, value]) => telling(value, name) === undefined));
}

/** Leaves what may have text of the model; undefined if nothing has. Numbers and known names have none. */
function telling(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    const isName = NAMES.includes(name) && value.length <= MAX_NAME && !/\s/u.test(value);
    return value === '' || isName ? undefined : value;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const found = Object.entries(value).flatMap(([key, each]) => {
    const told = telling(each, Array.isArray(value) ? name : key);
    // A long name, or a sentence in place of a name, is text as well.
    const isText = !Array.isArray(value) && (key.length > MAX_KEY || /\s/u.test(key));
    return told === undefined && !isText ? [] : [[key, told ?? true] as const];
  });
  if (found.length === 0) return undefined;
  return Array.isArray(value) ? found.map(([, told]) => told) : Object.fromEntries(found);
}
