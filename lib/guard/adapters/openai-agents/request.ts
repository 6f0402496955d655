/** Decides about what is new in a request to a model, and masks its texts. */
import { blockedIfMasked } from '../../telling.ts';
import type { Decision, Guard, GuardContext, Message } from '../../types.ts';
import { FOREIGN, ITEM, isText, type Place, placeOf, readableText } from './readable.ts';
import type { AgentsRequest, Item } from './types.ts';

/** Items that a model wrote. */
const OF_MODEL = new Set([
  ...['function_call', 'hosted_tool_call', 'computer_call', 'shell_call', 'apply_patch_call', 'program'],
  ...['tool_search_call', 'reasoning', 'compaction'],
]);

/** The decision, and the request that may be sent. */
export interface Cleared {
  readonly decision: Decision;
  readonly request: AgentsRequest;
}

/** Returns items as messages, whose last ones the guard finds new. An item of an unknown type is read. */
export function messagesOf(input: string | readonly Item[]): string | readonly Message[] {
  return typeof input === 'string' ? input : input.map(messageOf);
}

function messageOf(item: Item): Message {
  const role = roleOf(item);
  return { role, content: role === 'assistant' ? '' : readableText(item) };
}

function roleOf({ type, role }: Item): string {
  if (type === undefined || type === 'message') return String(role);
  return OF_MODEL.has(String(type)) ? 'assistant' : 'tool';
}

/** Decides about a request. A text that the service masks is masked in every turn, because each request repeats it. */
export async function clearedRequest(guard: Guard, request: AgentsRequest, context: GuardContext): Promise<Cleared> {
  const variables = readableText(request.prompt?.variables, FOREIGN);
  const decisions = [guard.input(messagesOf(request.input), context)];
  if (variables !== '') decisions.push(guard.input(variables, context).then(blockedIfMasked));
  const [decision, ofVariables] = (await Promise.all(decisions)) as [Decision, Decision?];
  if (ofVariables?.action === 'block') return { decision: ofVariables, request };
  if (decision.action === 'block' || !guard.masksInput) return { decision, request };
  return new Masking(guard, context).masked(request, decision);
}

class Masking {
  readonly #guard: Guard;
  readonly #context: GuardContext;
  #block: Decision | undefined;
  #hasMasked = false;

  constructor(guard: Guard, context: GuardContext) {
    this.#guard = guard;
    this.#context = context;
  }

  async masked(request: AgentsRequest, decision: Decision): Promise<Cleared> {
    const { input } = request;
    const masked = typeof input === 'string' ? await this.#text(input) : await this.#items(input);
    if (this.#block !== undefined) return { decision: this.#block, request };
    // What the service masks in the whole, and in no part, cannot be put in its place.
    if (decision.action === 'mask' && !this.#hasMasked) return { decision: blockedIfMasked(decision), request };
    return { decision, request: { ...request, input: masked } };
  }

  #items(items: readonly Item[]): Promise<Item[]> {
    const kept = ['assistant', 'system', 'developer'];
    return Promise.all(items.map(async (item) => (kept.includes(roleOf(item)) ? item : this.#members(item, ITEM))));
  }

  async #members(value: Item, place: Place): Promise<Item> {
    const entries = Object.entries(value).map(async ([name, each]) => {
      return [name, await this.#value(name, each, placeOf(value, name, place))] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  #value(member: string, value: unknown, place: Place): unknown {
    if (typeof value === 'string') return isText(member, value, place) ? this.#text(value) : value;
    if (Array.isArray(value)) return Promise.all(value.map((each) => this.#value(member, each, place)));
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
    return this.#members(value as Item, place);
  }

  async #text(text: string): Promise<string> {
    const decision = await this.#guard.input(text, this.#context);
    if (decision.action === 'block') this.#block ??= decision;
    if (decision.action !== 'mask') return text;
    this.#hasMasked = true;
    return decision.text ?? '';
  }
}
