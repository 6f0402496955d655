/** Decides about the answer of a model: its texts, its reasoning, calls of tools, and results of tools of the provider. */

import { blockedIfMasked } from '../../telling.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { readableText } from './readable.ts';
import { type AgentsResponse, type Item, SERVER } from './types.ts';

const NO_REASON = 'Blocked.';
const CALLS = new Set(['computer_call', 'shell_call', 'apply_patch_call', 'program', 'tool_search_call']);
const RESULTS = new Set([
  ...['function_call_result', 'computer_call_result', 'shell_call_output', 'apply_patch_call_output'],
  ...['program_output', 'tool_search_output'],
]);

/** Text of a stream: as the model wrote it, and as it was released. */
export interface Streamed {
  readonly written: string;
  readonly released: string;
}

/** An answer that may pass, or the block. */
export type Checked = { readonly output: readonly Item[] } | { readonly blocked: Decision };

/** Decides about a complete answer. @param streamed the text that a stream has released already */
export async function checkedOutput(
  guard: Guard,
  output: readonly Item[],
  context: GuardContext,
  streamed?: Streamed,
): Promise<Checked> {
  const isScanned = streamed !== undefined && streamed.written === writtenText(output);
  const items = isScanned ? withReleased(output, streamed) : output;
  const answer = new Answer(guard, context, isScanned);
  const checked = await Promise.all(items.map((item) => answer.item(item)));
  return answer.blocked === undefined ? { output: checked } : { blocked: answer.blocked };
}

/** Returns the answer in the place of a blocked one, in the framework's form for a content filter: a refusal. */
export function refusedOutput(guard: Guard, decision: Decision): readonly Item[] {
  const refusal = guard.message(decision) || NO_REASON;
  return [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'refusal', refusal }] }];
}

/** Returns the refusal as a response. It has no id, so that no later request continues the blocked answer. */
export function refusedResponse(guard: Guard, decision: Decision, usage: unknown): AgentsResponse {
  return { usage, output: refusedOutput(guard, decision) };
}

/** Returns the usage of so many requests without a count of tokens. */
export function unknownUsage(requests: number) {
  return { requests, inputTokens: 0, outputTokens: 0, totalTokens: 0, inputTokensDetails: [], outputTokensDetails: [] };
}

class Answer {
  readonly #guard: Guard;
  readonly #context: GuardContext;
  readonly #isScanned: boolean;
  blocked: Decision | undefined;

  constructor(guard: Guard, context: GuardContext, isScanned: boolean) {
    this.#guard = guard;
    this.#context = context;
    this.#isScanned = isScanned;
  }

  async item(item: Item): Promise<Item> {
    const type = String(item['type']);
    if (type === 'message') return this.#parts(item, ['content']);
    if (type === 'reasoning') return this.#parts(item, ['content', 'rawContent']);
    await this.#decide(this.#decisionAbout(type, item));
    return item;
  }

  /** Decides about an item that cannot be masked. */
  #decisionAbout(type: string, { type: _, ...item }: Item): Promise<Decision> {
    const server = SERVER;
    if (type === 'function_call' || type === 'hosted_tool_call') return this.#call(type, item);
    const text = readableText(item);
    if (CALLS.has(type)) return this.#guard.tool({ server, tool: type, input: text }, this.#context);
    if (RESULTS.has(type)) return this.#guard.tool({ server, tool: type, output: text }, this.#context);
    return this.#guard.output(text, this.#context);
  }

  #call(type: string, { name, arguments: given, ...rest }: Item): Promise<Decision> {
    const call = { server: SERVER, tool: String(name), input: given ?? {} };
    // A picture that the provider has painted is a file.
    const { output, ...others } = rest;
    const isPicture = name === 'image_generation_call';
    const beside = readableText(isPicture ? { ...others, content: { type: 'image', image: output } } : rest);
    if (beside === '') return this.#guard.tool(call, this.#context);
    // The provider ran the tool: its result is in the call.
    if (type === 'hosted_tool_call') return this.#guard.tool({ ...call, output: beside }, this.#context);
    return this.#guard.tool({ ...call, input: JSON.stringify([given, beside]) }, this.#context);
  }

  /** Decides about the texts of an item, which can be masked, and about all that is beside them. */
  async #parts(item: Item, members: readonly string[]): Promise<Item> {
    const copy: Record<string, unknown> = { ...item };
    const rest: Record<string, unknown> = { ...item };
    for (const member of members) {
      const parts = item[member];
      if (!Array.isArray(parts)) continue;
      const decided = await Promise.all(parts.map((part: Item) => this.#part(part)));
      copy[member] = decided;
      rest[member] = decided.map(withoutText);
    }
    const text = readableText(rest);
    if (text !== '') await this.#decide(this.#guard.output(text, this.#context));
    return copy;
  }

  async #part(part: Item): Promise<Item> {
    const member = textMember(part);
    if (member === undefined || (this.#isScanned && isWritten(part))) return part;
    const decision = await this.#guard.output(String(part[member]), this.#context);
    if (decision.action === 'block') this.blocked ??= decision;
    if (decision.action !== 'mask') return part;
    // What stands beside a text may repeat what was masked in it.
    const { providerData: _, ...masked } = part;
    return { ...masked, [member]: decision.text ?? '' };
  }

  async #decide(decision: Promise<Decision>): Promise<void> {
    const decided = blockedIfMasked(await decision);
    if (decided.action === 'block') this.blocked ??= decided;
  }
}

function textMember({ type, text, refusal }: Item): 'text' | 'refusal' | undefined {
  if (type === 'refusal') return typeof refusal === 'string' ? 'refusal' : undefined;
  return typeof text === 'string' ? 'text' : undefined;
}

/** Returns a part without the text that was decided about. */
function withoutText(part: Item): Item {
  const member = textMember(part);
  if (member === undefined) return part;
  const { [member]: _text, ...rest } = part;
  return rest;
}

function isWritten(part: Item): boolean {
  return part['type'] === 'output_text' && typeof part['text'] === 'string';
}

function partsOf(item: Item): readonly Item[] {
  const { content } = item;
  return item['type'] === 'message' && Array.isArray(content) ? (content as readonly Item[]) : [];
}

function writtenText(output: readonly Item[]): string {
  const parts = output.flatMap(partsOf).filter(isWritten);
  return parts.map(({ text }) => text).join('');
}

/** Puts the released text, where some of it is masked, in the place of the written one. */
function withReleased(output: readonly Item[], { written, released }: Streamed): readonly Item[] {
  if (written === released) return output;
  let at = 0;
  const isAligned = written.length === released.length;
  const replaced = (part: Item): Item => {
    if (!isWritten(part)) return part;
    const start = at;
    // Where lengths differ, the places of the parts are lost: the first one has everything.
    at = isAligned ? at + String(part['text']).length : released.length;
    const { providerData: _, ...rest } = part;
    return { ...rest, text: released.slice(start, at) };
  };
  return output.map((item) => {
    const parts = partsOf(item);
    return parts.some(isWritten) ? { ...item, content: parts.map(replaced) } : item;
  });
}
