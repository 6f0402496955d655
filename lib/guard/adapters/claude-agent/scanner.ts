/** Decides about complete messages of the Claude Agent SDK, and about the parts that they have in common with streams. */
import { jsonOrText, textOf } from '../../new-content.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { refusedResult } from './refusal.ts';
import { decided, type Note, type Notes, notesOf, redacted, toolOf } from './tools.ts';

export type Values = Readonly<Record<string, unknown>>;

/** Returns the context of a scan for a message. */
export type ContextOf = (message: Values) => GuardContext;

/** Texts of the model: the member of their block, and the type of their deltas. */
export const TEXTS: Readonly<Record<string, { readonly member: string; readonly delta: string }>> = {
  text: { member: 'text', delta: 'text_delta' },
  thinking: { member: 'thinking', delta: 'thinking_delta' },
};
/** Opaque to a reader: encrypted, or a proof of authorship. */
export const OPAQUE = ['redacted_thinking', 'signature_delta'];
/** A call of a tool that the SDK runs. A provider runs all other ones, before any hook. */
const OWN_CALL = 'tool_use';
export const CALLS = [OWN_CALL, 'server_tool_use', 'mcp_tool_use'];
/** Messages without a text of the model, a tool or a user. Everything that is named nowhere is scanned as JSON. */
const PASSING = [
  ...['rate_limit_event', 'tool_progress', 'conversation_reset'],
  ...[
    'init',
    'status',
    'thinking_tokens',
    'session_state_changed',
    'compact_boundary',
    'api_retry',
    'hook_started',
  ].map((subtype) => `system ${subtype}`),
];
/** Texts that were scanned, remembered for the messages that repeat them. */
const MAX_KNOWN = 32;

/** Thrown inside to end a query; reaches no caller. `passed` leaves before the refusal. */
export class Refusal extends Error {
  readonly decision: Decision;
  readonly passed: readonly Values[];

  constructor(decision: Decision, passed: readonly Values[] = []) {
    super('refused');
    this.decision = decision;
    this.passed = passed;
  }
}

/** Decides about what one query says. A block that must end the query is thrown as a `Refusal`. */
export class MessageScanner {
  readonly #guard: Guard;
  readonly #notes: Notes;
  readonly #contextOf: ContextOf;
  /** Texts that may be shown, by their scanned text. */
  readonly #known = new Map<string, unknown>();

  constructor(guard: Guard, contextOf: ContextOf) {
    this.#guard = guard;
    this.#notes = notesOf(guard);
    this.#contextOf = contextOf;
  }

  /** Decides about a text. @returns it, or its masked form */
  async text(message: Values, text: string): Promise<string> {
    const known = this.#known.get(`text ${text}`);
    if (typeof known === 'string') return known;
    const decision = await this.#guard.output(text, this.#contextOf(message));
    if (decision.action === 'block') throw new Refusal(decision);
    const shown = decision.action === 'mask' ? (decision.text ?? '') : text;
    this.remember(text, shown);
    return shown;
  }

  /** Remembers what was shown of a text. */
  remember(text: string, shown: string): void {
    this.#note(`text ${text}`, shown);
  }

  /** Decides about a value that cannot be masked in its place. Nothing is scanned where nothing is there. */
  async whole(message: Values, value: unknown): Promise<void> {
    if (isEmpty(value)) return;
    const text = jsonOrText(value);
    if (this.#known.get(`text ${text}`) === text) return;
    const decision = await this.#guard.output(text, this.#contextOf(message));
    if (decision.action !== 'allow') throw new Refusal(decision);
    this.remember(text, text);
  }

  /**
   * Decides about the input of a call. A bad one is shown as empty where the hooks of the same guard refuse the call; without
   * them, and for tools that the provider runs, the query ends.
   */
  async input(message: Values, block: Values, input: unknown): Promise<unknown> {
    const isOwn = block['type'] === OWN_CALL;
    const { isFine, shown, decision } = await this.#call(message, block['name'], input);
    if (!isFine && !(isOwn && this.#notes.hooked)) throw new Refusal(decision);
    return shown;
  }

  async #call(message: Values, name: unknown, input: unknown) {
    const key = `call ${JSON.stringify([name, input])}`;
    const known = this.#known.get(key) as { isFine: boolean; shown: unknown; decision: Decision } | undefined;
    if (known !== undefined) return known;
    const part = { member: 'input', value: input } as const;
    const { decision, value = {} } = await decided(this.#guard, toolOf(String(name)), part, this.#contextOf(message));
    const found = { isFine: decision.action === 'allow', shown: value, decision };
    this.#note(key, found);
    return found;
  }

  async assistant(message: Values): Promise<Values> {
    const inner = valuesOf(message['message']);
    const { content, stop_details: details } = inner;
    await this.whole(message, details);
    if (Array.isArray(content)) {
      const blocks: Values[] = [];
      for (const block of content.map(valuesOf)) blocks.push(await this.block(message, block));
      return { ...message, message: { ...inner, content: blocks } };
    }
    await this.whole(message, content);
    return message;
  }

  /** Decides about a block of a complete message. @returns the block that may be shown */
  async block(message: Values, block: Values): Promise<Values> {
    const type = String(block['type']);
    if (OPAQUE.includes(type)) return block;
    const text = TEXTS[type];
    if (text !== undefined) {
      await this.whole(message, block['citations']);
      return { ...block, [text.member]: await this.text(message, String(block[text.member] ?? '')) };
    }
    if (CALLS.includes(type)) return { ...block, input: await this.input(message, block, block['input']) };
    await this.whole(message, block);
    return block;
  }

  /** Decides about results of tools, and texts that the SDK puts into the conversation. */
  async user(message: Values): Promise<Values> {
    const inner = valuesOf(message['message']);
    const { content } = inner;
    if (!Array.isArray(content)) {
      await this.whole(message, content);
      return this.#structured(message, []);
    }
    const results: ToolResult[] = [];
    for (const block of content) results.push(await this.#userBlock(message, block));
    const shown = results.map((each) => each.shown);
    return this.#structured({ ...message, message: { ...inner, content: shown } }, results);
  }

  async #userBlock(message: Values, value: unknown): Promise<ToolResult> {
    const block = valuesOf(value);
    if (block['type'] !== 'tool_result') {
      await this.whole(message, textOf(value));
      return { shown: value, isFine: true };
    }
    const note = this.#notes.of(String(message['session_id']), String(block['tool_use_id']));
    const { content } = block;
    if (note?.kind === 'cleared') return { shown: value, isFine: true, cleared: note.text };
    if (isRefusal(note, content)) return { shown: value, isFine: true };
    const refused = note?.kind === 'blocked' ? note.message : await this.#refusalOf(message, content);
    if (refused === undefined) return { shown: value, isFine: true };
    return { shown: { ...block, content: redacted(content, refused) }, isFine: false };
  }

  /** Returns the message in place of a bad result. Without hooks, which keep it from the model, the query ends. */
  async #refusalOf(message: Values, content: unknown): Promise<string | undefined> {
    const decision = await this.#output(message, content);
    if (decision.action === 'allow') return undefined;
    if (!this.#notes.hooked) throw new Refusal(decision);
    return this.#guard.message(decision);
  }

  #output(message: Values, output: unknown): Promise<Decision> {
    return this.#guard.tool({ ...toolOf('result'), output: output ?? '' }, this.#contextOf(message));
  }

  /** The result as the tool wrote it has texts that the model does not get, and no hook sees: drops it where it is bad. */
  async #structured(message: Values, results: readonly ToolResult[]): Promise<Values> {
    const { tool_use_result: result, ...rest } = message;
    if (result === undefined) return message;
    const text = jsonOrText(result);
    const isCleared = results.some(({ cleared }) => cleared === text || `Error: ${cleared}` === text);
    if (!results.every(({ isFine }) => isFine)) return rest;
    if (isCleared) return message;
    return (await this.#output(message, result)).action === 'allow' ? message : rest;
  }

  async result(message: Values): Promise<Values> {
    const stop = this.#notes.stopOf(String(message['session_id']));
    const isStopped = isStop(message, stop, 'result') || message['terminal_reason'] === 'hook_stopped';
    if (stop !== undefined && isStopped) return refusedResult(message, stop);
    const { result, deferred_tool_use: deferred, permission_denials: denials } = message;
    for (const value of [message['structured_output'], message['errors']]) await this.whole(message, value);
    if (deferred !== undefined) await this.whole(message, deferred);
    return {
      ...message,
      ...(typeof result === 'string' && result !== '' ? { result: await this.text(message, result) } : {}),
      ...(Array.isArray(denials) ? { permission_denials: await this.#denials(message, denials) } : {}),
    };
  }

  /** The result lists refused calls with their input. */
  async #denials(message: Values, denials: readonly unknown[]): Promise<Values[]> {
    const shown: Values[] = [];
    for (const denial of denials.map(valuesOf)) {
      const call = await this.#call(message, denial['tool_name'], denial['tool_input']);
      shown.push({ ...denial, tool_input: call.shown });
    }
    return shown;
  }

  /** Decides whether a message of another kind passes: it has no text, or its text is fine. */
  async mayPass(message: Values): Promise<boolean> {
    const name = message['type'] === 'system' ? `system ${String(message['subtype'])}` : String(message['type']);
    if (PASSING.includes(name)) return true;
    if (isStop(message, this.#notes.stopOf(String(message['session_id'])), 'content')) return true;
    const { uuid: _, session_id: __, ...rest } = message;
    return (await this.#guard.output(JSON.stringify(rest), this.#contextOf(message))).action === 'allow';
  }

  #note(key: string, value: unknown): void {
    this.#known.delete(key);
    this.#known.set(key, value);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

interface ToolResult {
  readonly shown: unknown;
  readonly isFine: boolean;
  /** The part that a hook cleared. */
  readonly cleared?: string;
}

/** Finds the refusal of a hook in the words of the SDK: the refusal itself is not scanned. */
function isRefusal(note: Note | undefined, content: unknown): boolean {
  return note?.kind === 'denied' && note.refusals.includes(String(content));
}

function isStop(message: Values, stop: string | undefined, member: 'result' | 'content'): boolean {
  return stop !== undefined && message[member] === `UserPromptSubmit operation blocked by hook:\n${stop}`;
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Returns a value with members; anything else has none. */
export function valuesOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {};
}
