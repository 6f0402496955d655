/** Decides about a model's answer, complete or streamed: its texts, reasoning, tool calls and provider tool results. */
import { contentText, joined } from '../../readable.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import {
  decidedText,
  decidedTexts,
  decidedWhole,
  isSign,
  resultOf,
  type Values,
  withoutLogprobs,
  writtenArguments,
} from '../values.ts';
import { type Leaving, Waiting } from '../waiting.ts';
import {
  type AgentsEvent,
  type AgentsResponse,
  type Item,
  isText,
  itemContent,
  modelParts,
  SERVER,
} from './request.ts';

const NO_REASON = 'Blocked.';
const CALLS = new Set(['computer_call', 'shell_call', 'apply_patch_call', 'program', 'tool_search_call']);
const RESULTS = new Set([
  ...['function_call_result', 'computer_call_result', 'shell_call_output', 'apply_patch_call_output'],
  ...['program_output', 'tool_search_output'],
]);

/** The joined texts of an answer: as the model wrote them, and as they may be shown. */
export interface Shown {
  readonly written: string;
  readonly released: string;
}

/**
 * Decides about a complete answer. Drops the provider's raw answer: it may hold unscanned content.
 * @param streamed the text that the stream has already released
 */
export async function checkedResponse(
  guard: Guard,
  { usage, rawUsage, output, ...others }: AgentsResponse,
  context: GuardContext,
  streamed?: Shown,
): Promise<AgentsResponse> {
  const texts = output
    .flatMap(modelParts)
    .filter(isText)
    .map(({ text }) => String(text));
  const written = texts.join('');
  const isReleased = streamed?.written === written;
  // The stream has scanned everything except texts that are also read separately.
  const unscanned = isReleased && joined(texts) === written ? [] : texts;
  const decisions = await Promise.all([
    decidedTexts(guard, unscanned, context),
    ...output.map((item) => decidedItem(guard, item, context)),
  ]);
  const blocked = decisions.find(({ action }) => action === 'block');
  if (blocked !== undefined) return refusedResponse(guard, blocked, usage);
  const [words] = decisions;
  const released = words.action === 'mask' ? (words.text ?? '') : isReleased ? streamed.released : written;
  const isMasked = written !== released || decisions.some(({ action }) => action === 'mask');
  const ids = ['id', 'responseId', 'requestId'].map((name) => [name, (others as Values)[name]] as const);
  return {
    usage,
    ...(rawUsage === undefined ? {} : { rawUsage }),
    output: isMasked
      ? maskedOutput(output, released)
      : output.map((item) => withParts(withoutLogprobs(item), withoutLogprobs)),
    ...Object.fromEntries(ids.filter(([name, value]) => typeof value === 'string' && isSign(name, value))),
  };
}

/** Decides about everything but an item's texts. Reasoning that needs masking is dropped; any other item is blocked. */
function decidedItem(guard: Guard, item: Item, context: GuardContext): Promise<Decision> {
  const { type, name, arguments: given, ...rest } = item;
  const kind = String(type);
  if (kind === 'function_call') return decidedCall(guard, item, context);
  if (kind === 'hosted_tool_call') {
    // The provider ran the tool: its result is in the call. A generated image is a file.
    const isPicture = name === 'image_generation_call';
    const found = itemContent(isPicture ? { ...rest, output: { type: 'image', image: rest['output'] } } : rest);
    const call = { server: SERVER, tool: String(name), input: given ?? {} };
    return guard.tool(resultOf(found) === '' ? call : { ...call, output: resultOf(found) }, context);
  }
  const parts = modelParts(item).map((part) => (isText(part) ? { ...withoutLogprobs(part), text: '' } : part));
  const { content: _, ...others } = withoutLogprobs(item);
  const words = itemContent(parts.length > 0 ? [...parts, others] : item);
  const call = { server: SERVER, tool: kind };
  if (CALLS.has(kind)) return guard.tool({ ...call, input: resultOf(words) }, context);
  if (RESULTS.has(kind)) return guard.tool({ ...call, output: resultOf(words) }, context);
  return kind === 'reasoning'
    ? decidedText(guard, () => contentText(words), context)
    : decidedWhole(guard, words, context);
}

async function decidedCall(guard: Guard, call: Item, context: GuardContext): Promise<Decision> {
  const { type: _, name, arguments: given, ...rest } = call;
  const [decision, others] = await Promise.all([
    guard.tool({ server: SERVER, tool: String(name), input: writtenArguments(given) }, context),
    decidedWhole(guard, itemContent(rest), context),
  ]);
  return decision.action === 'block' ? decision : others;
}

/** Puts the released text into the first part with text, without members that may repeat its masked data. */
function maskedOutput(output: readonly Item[], released: string): readonly Item[] {
  let rest = released;
  const replaced = ({ providerData: _, ...part }: Values): Values => {
    if (!isText(part)) return part;
    const text = rest;
    rest = '';
    return { ...part, text };
  };
  // With an id, the provider would require the reasoning before it.
  return output
    .filter(({ type }) => type !== 'reasoning')
    .map(({ providerData: _, id: __, ...item }) => withParts(item, replaced));
}

function withParts(item: Item, change: (part: Values) => Values): Item {
  const parts = modelParts(item);
  return parts.length === 0 ? item : { ...item, content: parts.map(change) };
}

/**
 * Returns the replacement for a blocked answer, in the framework's form for a content filter: a refusal. It has no id,
 * so that no later request continues the blocked answer.
 */
export function refusedResponse(guard: Guard, decision: Decision, usage: unknown): AgentsResponse {
  const content = [{ type: 'refusal', refusal: guard.message(decision) || NO_REASON }];
  return { usage, output: [{ type: 'message', role: 'assistant', status: 'completed', content }] };
}

/** Returns a usage with this number of requests and no token counts. */
export function unknownUsage(requests: number) {
  return { requests, inputTokens: 0, outputTokens: 0, totalTokens: 0, inputTokensDetails: [], outputTokensDetails: [] };
}

export interface Streaming {
  readonly context: GuardContext;
  /** The decision about the request; nothing passes before it allows. */
  readonly input: Promise<Decision>;
}

/**
 * Yields the events that may pass. The provider's own events (`model`) and events of an unknown type are dropped: they
 * hold unscanned text. Leaving the stream ends the model request.
 */
export async function* guardedAgentEvents(
  guard: Guard,
  source: AsyncIterable<AgentsEvent>,
  { context, input }: Streaming,
): AsyncGenerator<AgentsEvent> {
  const held = guard.stream(context, { input });
  const waiting = new Waiting<unknown>();
  const streamed = { written: '', released: '' };
  const released = (text: string, isEnd: boolean) => {
    streamed.released += text;
    return Array.from(waiting.leaving(text, isEnd)).flatMap(deltaEvents);
  };
  let isDone = false;
  try {
    for await (const event of source) {
      // The model may still have work to do after its last event.
      if (isDone) continue;
      if (event['type'] === 'response_started') yield { type: 'response_started' };
      if (event['type'] === 'output_text_delta') {
        const text = String(event['delta']);
        streamed.written += text;
        waiting.text(event['itemId'], text, event['itemId']);
        yield* released(await held.push(text), false);
      }
      if (event['type'] === 'response_done') {
        // Wait for the decision about the request, even if the answer has no text.
        yield* released(await held.end(), true);
        isDone = true;
        const response = event['response'] as AgentsResponse;
        if (!held.blocked) yield doneEvent(await checkedResponse(guard, response, context, streamed));
      }
      if (held.blocked && held.decision !== undefined) {
        yield refusedEvent(guard, held.decision, isDone ? usageOf(event) : unknownUsage(1));
        return;
      }
    }
  } finally {
    held.cancel();
  }
}

/** Returns the event that ends a blocked answer. */
export function refusedEvent(guard: Guard, decision: Decision, usage: unknown): AgentsEvent {
  return doneEvent(refusedResponse(guard, decision, usage));
}

/** The event needs an id; an empty id refers to no answer that could be continued. */
function doneEvent(response: AgentsResponse): AgentsEvent {
  return { type: 'response_done', response: { id: '', ...response } };
}

function usageOf(event: AgentsEvent): unknown {
  return (event['response'] as Item | undefined)?.['usage'] ?? unknownUsage(1);
}

/** Returns released text as an event, with the item to which the text belongs. */
function deltaEvents({ item: itemId, text: delta = '' }: Leaving<unknown>): AgentsEvent[] {
  if (delta === '') return [];
  return [{ type: 'output_text_delta', delta, ...(isSign('itemId', itemId) ? { itemId } : {}) }];
}
