/** Decisions about tool calls of the Claude Agent SDK, and what hooks and messages of one guard must know about them. */

import { blockedIfMasked } from '../../decisions.ts';
import { memoryOf } from '../../scanning.ts';
import type { Decision, Guard, GuardContext, ToolCall } from '../../types.ts';
import { type IsSign, type Values, withTexts } from '../values.ts';

/** What hooks say of the result of a call: it was cleared, it is a refusal, or it has to be scanned wherever it is seen. */
type Note = 'cleared' | 'denied' | 'doubtful' | { readonly message: string };

/** Calls whose messages have not passed yet; more than that many are forgotten, and scanned again. */
const MAX_NOTES = 500;

/** Notes that the hooks of a guard leave for the messages of the same guard. */
export class Notes {
  /** Hooks refuse bad calls: messages need not end the query for them. */
  hooked = false;
  /** The message of the hook that stopped the turn of a session, until the turn has ended. */
  readonly stops = memoryOf<string | undefined>(MAX_NOTES);
  readonly #calls = memoryOf<Note>(MAX_NOTES);

  /** Two calls with one identifier cannot be told apart: neither clears anything. */
  add(session: string, id: string, note: Note): void {
    const key = JSON.stringify([session, id]);
    const earlier = this.#calls.get(key);
    const kept = typeof earlier === 'object' ? earlier : 'doubtful';
    this.#calls.set(key, earlier === undefined || typeof note === 'object' ? note : kept);
  }

  of(session: string, id: string): Note | undefined {
    return this.#calls.get(JSON.stringify([session, id]));
  }

  /** Returns the hook's message for the end of a turn that it has stopped. The SDK tells it in words of its own. */
  stopOf({ type, session_id: id, terminal_reason: reason, result }: Values): string | undefined {
    const stop = type === 'result' ? this.stops.get(String(id)) : undefined;
    const isEnd = stop !== undefined && (reason === 'hook_stopped' || (stop !== '' && String(result).includes(stop)));
    if (isEnd) this.stops.set(String(id), undefined);
    return isEnd ? stop : undefined;
  }
}

const notes = new WeakMap<Guard, Notes>();

export function toolNotes(guard: Guard): Notes {
  const known = notes.get(guard) ?? new Notes();
  notes.set(guard, known);
  return known;
}

/** Splits the SDK's name of a tool: `mcp__mail__send` is the tool `send` of the server `mail`. */
export function toolOf(name: string, server?: string): Pick<ToolCall, 'server' | 'tool'> {
  const [, named, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return { server: server ?? named ?? 'claude-agent', tool: tool ?? name };
}

export interface Deciding {
  readonly scan: (value: unknown) => Promise<Decision>;
  /** Finds what a mask must not change. */
  readonly isKept: IsSign;
}

/**
 * Decides about a value. Where only sensitive data was found, the guard may mask, and the masked value is allowed, the masked
 * value is used.
 * @returns also what may be used instead of the value: itself, or its masked form
 */
export async function decided(
  guard: Guard,
  value: unknown,
  context: GuardContext,
  { scan, isKept }: Deciding,
): Promise<{ readonly decision: Decision; readonly value?: unknown }> {
  const decision = await scan(value);
  if (decision.action === 'allow') return { decision, value };
  const { detectors = [] } = decision.verdict ?? {};
  const isLeak = detectors.length > 0 && detectors.every((name) => name === 'dlp');
  const masks: Decision[] = [];
  // The service masks texts, each in its place.
  const mask = async (text: string) => {
    const found = await guard.output(text, context);
    if (found.action !== 'mask') return text;
    masks.push(found);
    return found.text ?? '';
  };
  const masked = isLeak ? await withTexts(value, isKept, mask) : value;
  const again = masks.length > 0 ? await scan(masked) : decision;
  const [found = decision] = again.action === 'allow' ? masks : [];
  return again.action === 'allow' ? { decision: found, value: masked } : { decision: blockedIfMasked(decision) };
}

/** Finds words that choose the form of a result: the SDK drops a replacement without them, and the original passes. */
export function isForm(member: string, value: unknown): boolean {
  return (member === 'type' || member === 'mode') && /^[a-z_]{1,20}$/.test(String(value));
}
