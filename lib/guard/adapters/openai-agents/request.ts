/**
 * Decides about new content in a model request, and masks its texts. Declares only the framework types that the adapter
 * uses; the framework is not imported.
 */
import { objectOf } from '../../../core/json.ts';
import { blockedIfMasked } from '../../decisions.ts';
import type { AdapterOptions, Decision, Guard, GuardContext, Message } from '../../types.ts';
import { isSign, type Values, withoutSigns, withTexts } from '../values.ts';

/** A message, a tool call, its result, reasoning ... of a request or an answer. */
export type Item = Readonly<Record<string, unknown>>;

export interface AgentsRequest {
  readonly input: string | readonly Item[];
  /** Variables of a prompt stored at the provider. */
  readonly prompt?: { readonly variables?: unknown } | undefined;
  readonly tracing?: boolean | 'enabled_without_data';
  readonly signal?: AbortSignal | undefined;
}

export interface AgentsResponse {
  readonly usage: unknown;
  readonly output: readonly Item[];
  /** Set on the last event of a stream. */
  readonly id?: unknown;
  readonly responseId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly rawUsage?: unknown;
}

/** An event of a stream: `response_started`, `output_text_delta`, `response_done`, `model`. */
export type AgentsEvent = Item;

/** Builds the context from a request, a guardrail's arguments or a tool call. */
export type OpenAiAgentsOptions = AdapterOptions;

/** Server name in tool scans. */
export const SERVER = 'openai-agents';

/** Members that hold protocol values. */
const OWN = new Set(['content', 'rawContent', 'providerData', 'caller']);
/** Members that hold file bytes, which masking must not change. */
const FILES = new Set(['image', 'file', 'audio', 'data']);
const FILE = /^(?:data:[^,\s]*;base64,)?[\w+/=-]{64,}$/;
/** Items that a model wrote. */
const OF_MODEL = new Set([
  ...['function_call', 'hosted_tool_call', 'computer_call', 'shell_call', 'apply_patch_call', 'program'],
  ...['tool_search_call', 'reasoning', 'compaction'],
]);

/** Matches values that masking must not change. */
export function isKept(member: string, value: unknown): boolean {
  return isSign(member, value) || (FILES.has(member) && FILE.test(String(value)));
}

/** Returns the part of an item to scan; undefined if it holds only protocol values. */
export function itemContent(item: unknown): unknown {
  return withoutSigns(item, isSign, OWN);
}

/** Returns a request as messages; the guard treats the last ones as new. Variables of a prompt are always new. */
export function messagesOf({ input, prompt }: Pick<AgentsRequest, 'input' | 'prompt'>): string | readonly Message[] {
  const { variables } = prompt ?? {};
  if (typeof input === 'string' && variables === undefined) return input;
  const messages = typeof input === 'string' ? [{ role: 'user', content: input }] : input.map(messageOf);
  return variables === undefined ? messages : [...messages, { role: 'user', content: variables }];
}

function messageOf(item: Item): Message {
  const role = roleOf(item);
  if (role === 'assistant') return { role, content: '' };
  const { content, output, name, ...rest } = item;
  const text = content ?? output;
  const others = itemContent({ ...rest, name, ...(content === undefined ? {} : { output }) });
  if (others === undefined) return { role, content: text };
  return { role, content: [...(Array.isArray(text) ? (text as unknown[]) : [text ?? '']), others] };
}

/** Treat an item of an unknown type as a tool's. */
export function roleOf({ type, role }: Item): string {
  if (type === undefined || type === 'message') return String(role);
  return OF_MODEL.has(String(type)) ? 'assistant' : 'tool';
}

/** Returns the parts of a message that a model wrote. */
export function modelParts({ type, content }: Item): readonly Values[] {
  return type === 'message' && Array.isArray(content) ? content.map(objectOf) : [];
}

export function isText({ type, text }: Values): boolean {
  return type === 'output_text' && typeof text === 'string';
}

/** The decision, and the request that may be sent. */
export interface Cleared {
  readonly decision: Decision;
  readonly request: AgentsRequest;
}

/** Decides about a request. Masks a text in every turn, because each request repeats it. */
export async function clearedRequest(guard: Guard, request: AgentsRequest, context: GuardContext): Promise<Cleared> {
  const decision = await guard.input(messagesOf(request), context);
  if (decision.action === 'block' || !guard.masksInput) return { decision, request };
  const blocks: Decision[] = [];
  const mask = async (text: string): Promise<string> => {
    const found = await guard.input(text, context);
    if (found.action === 'block') blocks.push(found);
    return found.action === 'mask' ? (found.text ?? '') : text;
  };
  const { input } = request;
  const masked = typeof input === 'string' ? mask(input) : Promise.all(input.map((item) => maskedItem(item, mask)));
  const sent = { ...request, input: await masked };
  const [block] = blocks;
  if (block !== undefined) return { decision: block, request };
  // A mask for the request as a whole, or for anything but the texts, cannot be applied.
  const again = decision.action === 'mask' ? await guard.input(messagesOf(sent), context) : decision;
  return { decision: blockedIfMasked(again), request: sent };
}

async function maskedItem(item: Item, mask: (text: string) => Promise<string>): Promise<Item> {
  const isForeign = !['assistant', 'system', 'developer'].includes(roleOf(item));
  return isForeign ? ((await withTexts(item, isKept, mask)) as Item) : item;
}
