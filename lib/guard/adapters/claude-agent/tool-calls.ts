/** Decides about tool calls of the Claude Agent SDK, and keeps the notes that a guard's hooks and messages share. */

import { blockedIfMasked } from '../../decisions.ts';
import { memoryOf } from '../../scanning.ts';
import type { Decision, Guard, GuardContext, ToolCall } from '../../types.ts';
import { type IsSign, type Values, withTexts } from '../values.ts';

/** A hook's note on a call's result: it was cleared, it is a refusal, or it must be scanned wherever it appears. */
type Note = 'cleared' | 'denied' | 'doubtful' | { readonly message: string };

/** Maximum number of calls whose messages have not passed yet; older calls are forgotten, and scanned again. */
const MAX_NOTES = 500;

/** Notes that the hooks of a guard leave for the messages of the same guard. */
export class Notes {
  /** Hooks refuse blocked calls, so messages need not end the query. */
  hooked = false;
  /** The message of the hook that stopped a session's turn, kept until the turn has ended. */
  readonly stops = memoryOf<string | undefined>(MAX_NOTES);
  readonly #calls = memoryOf<Note>(MAX_NOTES);

  /** Two calls with the same id cannot be distinguished, so neither call clears anything. */
  add(session: string, id: string, note: Note): void {
    const key = JSON.stringify([session, id]);
    const earlier = this.#calls.get(key);
    const kept = typeof earlier === 'object' ? earlier : 'doubtful';
    this.#calls.set(key, earlier === undefined || typeof note === 'object' ? note : kept);
  }

  of(session: string, id: string): Note | undefined {
    return this.#calls.get(JSON.stringify([session, id]));
  }

  /**
   * Returns the hook's message if this message ends the turn that the hook stopped. The SDK's result uses its own
   * wording.
   */
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

/** Splits the SDK's tool name: `mcp__mail__send` is the tool `send` of the server `mail`. */
export function toolOf(name: string, server?: string): Pick<ToolCall, 'server' | 'tool'> {
  const [, named, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return { server: server ?? named ?? 'claude-agent', tool: tool ?? name };
}

export interface Deciding {
  readonly scan: (value: unknown) => Promise<Decision>;
  /** Matches values that masking must not change. */
  readonly isKept: IsSign;
}

/**
 * Decides about a value. The masked value is used if only sensitive data was found, the guard may mask, and the
 * masked value is allowed.
 * @returns the decision, with the value to use: the original or its masked form
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
  // The service masks each text in place.
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

/**
 * Matches the values that determine a result's shape: the SDK drops a replacement without these values, and the
 * original passes.
 */
export function isForm(member: string, value: unknown): boolean {
  return (member === 'type' || member === 'mode') && /^[a-z_]{1,20}$/.test(String(value));
}
