/** Decides about complete messages of the Claude Agent SDK, and about the parts that they have in common with streams. */
import { memoryOf } from '../../cache.ts';
import { SHARED } from '../../limits.ts';
import { joined } from '../../readable.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { type Values, valuesOf, withoutSigns } from '../texts.ts';
import { decidedWhole, resultOf } from '../whole.ts';
import { refusedResult } from './refusal.ts';
import { decided, type Notes, notesOf, toolOf } from './tools.ts';

/** Returns the context of a scan for a message. */
export type ContextOf = (message: Values) => GuardContext;

/** A tool call that the SDK runs. A provider runs all others, before any hook. */
const OWN_CALL = 'tool_use';
const CALLS = [OWN_CALL, 'server_tool_use', 'mcp_tool_use'];
/** Members that hold ids and words of the protocol, and counts. */
const SIGNS = new Set([
  ...['type', 'subtype', 'id', 'uuid', 'role', 'model', 'request_id'],
  ...['session_id', 'parent_tool_use_id', 'tool_use_id'],
  ...['stop_reason', 'stop_sequence', 'terminal_reason', 'user_message_uuid', 'user_message_uuids', 'prompt_id'],
  ...['timestamp', 'usage', 'modelUsage'],
]);
/** Members with values of the protocol. */
const OWN = new Set(['message', 'delta']);
const SIGN = /^(?!.*\d{13})[\w.:<>/-]{0,128}$/;
/** Only the provider can read it: a proof of authorship, or encrypted. */
const SEALED = new Set(['signature', 'data', 'encrypted_content', 'encrypted_index']);
const SEAL = /^(?!.*\d{13})[\w+/=-]{8,}$/;
/** Texts that were scanned, remembered for the messages that repeat them. */
const MAX_KNOWN = 32;

/** Thrown inside to end a query; reaches no caller. */
export class Refusal extends Error {
  readonly decision: Decision;

  constructor(decision: Decision) {
    super('refused');
    this.decision = decision;
  }
}

/** Finds the texts of the model, which have their type as member. */
export function isText(type: unknown): type is 'text' | 'thinking' {
  return type === 'text' || type === 'thinking';
}

export function isCall({ type }: Values): boolean {
  return CALLS.includes(String(type));
}

function isSign(member: string, value: unknown): boolean {
  if (typeof value === 'boolean' || (typeof value === 'number' && value < 1e13)) return /^[a-z]\w{0,40}$/.test(member);
  return (SIGNS.has(member) && isBare(value)) || (SEALED.has(member) && typeof value === 'string' && SEAL.test(value));
}

function isBare(value: unknown): boolean {
  if (typeof value === 'string') return SIGN.test(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isBare);
}

/** Decides about what one query says. A block that must end the query is thrown as a `Refusal`. */
export class MessageScanner {
  readonly #guard: Guard;
  readonly #notes: Notes;
  readonly #contextOf: ContextOf;
  /** What may be shown of what was scanned. */
  readonly #known = memoryOf<unknown>(MAX_KNOWN);
  /** The end of the latest answer of each agent. */
  readonly #answers = new Map<unknown, { readonly id: unknown; readonly end: string }>();
  /** The text that a stream has shown last. */
  #streamed: string | undefined;

  constructor(guard: Guard, contextOf: ContextOf) {
    this.#guard = guard;
    this.#notes = notesOf(guard);
    this.#contextOf = contextOf;
  }

  /** Remembers what a stream has shown of a text. */
  remember(text: string, shown: string): void {
    this.#streamed = shown;
    this.#known.set(`text ${text}`, shown);
  }

  /** Decides about a text. @returns it, or its masked form */
  async #text(message: Values, text: string): Promise<string> {
    const known = this.#known.get(`text ${text}`);
    if (typeof known === 'string') return known;
    const decision = await this.#guard.output(text, this.#contextOf(message));
    if (decision.action === 'block') throw new Refusal(decision);
    const shown = decision.action === 'mask' ? (decision.text ?? '') : text;
    this.#known.set(`text ${text}`, shown);
    return shown;
  }

  /** Decides about a value that cannot be masked in its place. */
  async #whole(message: Values, value: unknown): Promise<void> {
    const decision = await decidedWhole(this.#guard, value, this.#contextOf(message));
    if (decision.action !== 'allow') throw new Refusal(decision);
  }

  /** Decides about what is next to texts, if it has more than signs. */
  shell(message: Values, value: unknown): Promise<void> {
    return this.#whole(message, withoutSigns(value, isSign, OWN));
  }

  /** Decides about a message of an agent. Texts that a stream has shown are not scanned again. */
  async assistant(message: Values): Promise<Values> {
    const { message: inner, ...outer } = message;
    const { content, ...rest } = valuesOf(inner);
    if (!Array.isArray(content)) {
      await this.shell(message, message);
      return message;
    }
    await this.shell(message, [outer, rest]);
    const blocks: Values[] = [];
    for (const block of content.map(valuesOf)) blocks.push(await this.block(message, block));
    await this.#together(message, blocks);
    return { ...message, message: { ...rest, content: blocks } };
  }

  /** Decides about the texts of one answer together: the SDK tells each block in a message of its own. */
  async #together(message: Values, blocks: readonly Values[]): Promise<void> {
    const { id } = valuesOf(message['message']);
    const agent = message['parent_tool_use_id'];
    const earlier = this.#answers.get(agent);
    const added = blocks.filter(({ type }) => type === 'text').map(({ text }) => String(text));
    const texts = id !== undefined && earlier?.id === id ? [earlier.end, ...added] : added;
    const together = texts.join('');
    this.#answers.set(agent, { id, end: together.slice(-SHARED).replace(/^[\udc00-\udfff]/, '') });
    const all = joined(texts);
    // A stream was scanned across its blocks.
    const isScanned = all === together && added.every((text) => text === this.#streamed);
    if (texts.length > 1 && !isScanned) await this.#whole(message, all);
  }

  /** Decides about a block of a complete message. @returns the block that may be shown */
  async block(message: Values, block: Values): Promise<Values> {
    const { type } = block;
    if (isText(type)) {
      const { [type]: text, ...rest } = block;
      await this.shell(message, rest);
      return { ...block, [type]: await this.#text(message, String(text ?? '')) };
    }
    if (!isCall(block)) {
      await this.shell(message, block);
      return block;
    }
    const { name, input, ...rest } = block;
    await this.shell(message, rest);
    return { ...block, input: await this.#input(message, block) };
  }

  /**
   * Decides about the input of a call. A bad one is shown as empty where the hooks of the same guard refuse the call; without
   * them, and for tools that the provider runs, the query ends.
   */
  async #input(message: Values, { type, name, input = {} }: Values): Promise<unknown> {
    const key = `call ${JSON.stringify([name, input])}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const part = { member: 'input', value: input } as const;
    const { decision, value = {} } = await decided(this.#guard, toolOf(String(name)), part, this.#contextOf(message));
    if (decision.action === 'block' && !(type === OWN_CALL && this.#notes.hooked)) throw new Refusal(decision);
    this.#known.set(key, value);
    return value;
  }

  /** Decides about results of tools, and texts that the SDK puts into the conversation. */
  async user(message: Values): Promise<Values> {
    const { message: inner, tool_use_result: written, ...outer } = message;
    const { content, ...rest } = valuesOf(inner);
    await this.shell(message, [outer, typeof inner === 'object' ? rest : inner]);
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
    await this.#whole(
      message,
      blocks.filter((block) => valuesOf(block)['type'] !== 'tool_result'),
    );
    const cleared: unknown[] = [];
    for (const block of blocks.map(valuesOf)) {
      if (block['type'] === 'tool_result') cleared.push(await this.#result(message, block));
    }
    if (written === undefined || cleared.includes(resultOf(written))) return message;
    // What the tool wrote has texts that the model does not get, and no hook sees.
    const { tool_use_result: _, ...passed } = message;
    return (await this.#output(message, written)).action === 'allow' ? message : passed;
  }

  /** Decides about a result that the model gets. @returns the text that a hook has cleared */
  async #result(message: Values, { content, ...rest }: Values): Promise<unknown> {
    await this.shell(message, rest);
    const note = this.#notes.of(String(message['session_id']), String(rest['tool_use_id']));
    if (note?.kind === 'cleared') return note.text;
    if (note?.kind === 'denied') return undefined;
    const decision = await this.#output(message, content);
    if (decision.action !== 'allow') throw new Refusal(decision);
    return undefined;
  }

  #output(message: Values, output: unknown): Promise<Decision> {
    return this.#guard.tool({ ...toolOf('result'), output: resultOf(output ?? '') }, this.#contextOf(message));
  }

  async result(message: Values): Promise<Values> {
    const session = String(message['session_id']);
    const stop = this.#notes.stops.get(session);
    if (stop !== undefined && isStopped(message, stop)) {
      this.#notes.stops.set(session, undefined);
      return refusedResult(message, stop);
    }
    const { result, permission_denials: denials, structured_output: structured, ...rest } = message;
    await this.shell(message, rest);
    await this.#whole(message, structured);
    const text = typeof result === 'string' ? { result: await this.#text(message, result) } : {};
    return { ...message, ...text, ...(await this.#denials(message, denials)) };
  }

  /** The result lists refused calls with their input. A bad one is shown as empty. */
  async #denials(message: Values, denials: unknown): Promise<Values> {
    const shown: Values[] = [];
    for (const denial of Array.isArray(denials) ? denials.map(valuesOf) : []) {
      const { tool_name: name, tool_input: input, ...rest } = denial;
      await this.shell(message, rest);
      shown.push({ ...denial, tool_input: await this.#input(message, { type: OWN_CALL, name, input }) });
    }
    return denials === undefined ? {} : { permission_denials: shown };
  }

  /** Decides whether a message of another kind passes: it has no text, or its text is fine. */
  async mayPass(message: Values): Promise<boolean> {
    const text = withoutSigns(message, isSign, OWN);
    return (await decidedWhole(this.#guard, text, this.#contextOf(message))).action === 'allow';
  }
}

/** Finds the end of a turn that a hook has stopped. The SDK tells the hook's reason in words of its own, which are dropped. */
function isStopped({ terminal_reason: reason, result }: Values, stop: string): boolean {
  return reason === 'hook_stopped' || (stop !== '' && String(result).includes(stop));
}
