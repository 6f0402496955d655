/** Decisions about calls of tools of the Claude Agent SDK, and what hooks and messages of one guard must know about them. */
import { jsonOrText } from '../../new-content.ts';
import type { Decision, Guard, GuardContext, ToolCall } from '../../types.ts';

/** Decision of a hook about the result of a call. */
export type Note =
  | { readonly kind: 'cleared'; readonly text: string }
  /** The forms in which the SDK gives the refusal to the model. */
  | { readonly kind: 'denied'; readonly refusals: readonly string[] }
  | { readonly kind: 'replaced' }
  | { readonly kind: 'blocked'; readonly message: string };

/** Calls whose messages have not passed yet; more than that many are forgotten, and scanned again. */
const MAX_NOTES = 500;

/** Notes that the hooks of a guard leave for the messages of the same guard. */
export class Notes {
  /** Hooks refuse bad calls: messages need not end the query for them. */
  hooked = false;
  readonly #calls = new Map<string, Note>();
  readonly #stopped = new Map<string, string>();

  /** A second call with the same identifier clears nothing that the first left to be scanned. */
  add(session: string, id: string, note: Note): void {
    const key = keyOf(session, id);
    if (note.kind === 'cleared' && this.#calls.has(key) && this.#calls.get(key)?.kind !== 'cleared') return;
    this.#calls.delete(key);
    this.#calls.set(key, note);
    shorten(this.#calls);
  }

  of(session: string, id: string): Note | undefined {
    return this.#calls.get(keyOf(session, id));
  }

  /** Notes that a hook stopped a turn of a session, with its message. */
  stop(session: string, message: string): void {
    this.#stopped.set(session, message);
    shorten(this.#stopped);
  }

  /** Returns the message of the last refusal of a session, if there was one. */
  stopOf(session: string): string | undefined {
    return this.#stopped.get(session);
  }
}

function keyOf(session: string, id: string): string {
  return JSON.stringify([session, id]);
}

function shorten(map: Map<string, unknown>): void {
  const [oldest] = map.keys();
  if (map.size > MAX_NOTES && oldest !== undefined) map.delete(oldest);
}

const notes = new WeakMap<Guard, Notes>();

export function notesOf(guard: Guard): Notes {
  const known = notes.get(guard);
  if (known !== undefined) return known;
  const created = new Notes();
  notes.set(guard, created);
  return created;
}

/** Splits the SDK's name of a tool: `mcp__mail__send` is the tool `send` of the server `mail`. */
export function toolOf(name: string, server?: string): Pick<ToolCall, 'server' | 'tool'> {
  const [, named, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return { server: server ?? named ?? 'claude-agent', tool: tool ?? name };
}

/** A decision about a value; `value` is what may be used in its place: itself, or its masked form. */
export interface Outcome {
  readonly decision: Decision;
  readonly value?: unknown;
}

/**
 * Decides about the input or the output of a call. Where sensitive data alone was found, the guard may mask, and the masked
 * value is allowed, the call goes on with it.
 */
export async function decided(
  guard: Pick<Guard, 'tool' | 'output'>,
  call: Pick<ToolCall, 'server' | 'tool'>,
  part: { readonly member: 'input' | 'output'; readonly value: unknown },
  context: GuardContext,
): Promise<Outcome> {
  const { member, value } = part;
  const decision = await guard.tool({ ...call, [member]: value }, context);
  if (decision.action !== 'block') return { decision, value };
  const { detectors = [] } = decision.verdict ?? {};
  if (detectors.length === 0 || detectors.some((name) => name !== 'dlp')) return { decision };
  // The service masks texts, not calls of tools.
  const masked = await guard.output(jsonOrText(value), context);
  if (masked.action !== 'mask') return { decision };
  const replacement = likeness(value, masked.text ?? '');
  if (replacement === undefined) return { decision };
  const again = await guard.tool({ ...call, [member]: replacement }, context);
  return again.action === 'block' ? { decision } : { decision: masked, value: replacement };
}

/** Reads a masked text as the value it was written from; undefined where the mask broke its form. */
function likeness(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  try {
    const read: unknown = JSON.parse(text);
    return formOf(read) === formOf(value) ? read : undefined;
  } catch {
    return undefined;
  }
}

/** Writes what the form of a value is: its members and their types, without its texts. */
function formOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (isContainer(member) ? member : typeof member));
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Members whose words choose the form of a result; the SDK drops a replacement without them, and the original passes. */
const FORMS = ['type', 'mode'];
const WORD = /^[a-z_]{1,20}$/;

/** Puts the message in place of every text of a result, and keeps its form, which the SDK requires. */
export function redacted(value: unknown, message: string): unknown {
  if (typeof value === 'string') return value === '' ? value : message;
  if (Array.isArray(value)) return value.map((each) => redacted(each, message));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isForm = FORMS.includes(name) && typeof member === 'string' && WORD.test(member);
      return [name, isForm ? member : redacted(member, message)];
    }),
  );
}
