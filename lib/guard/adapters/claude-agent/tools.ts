/** Decisions about tool calls of the Claude Agent SDK, and what hooks and messages of one guard must know about them. */
import { memoryOf } from '../../cache.ts';
import type { Decision, Guard, GuardContext, ToolCall } from '../../types.ts';
import { withTexts } from '../texts.ts';
import { resultOf } from '../whole.ts';

/** Decision of a hook about a call. */
export type Note =
  /** `text` is the result that was cleared. */
  | { readonly kind: 'cleared'; readonly text: unknown }
  /** The call did not run: its result is the refusal. */
  | { readonly kind: 'denied' }
  /** The result has to be scanned wherever it is seen. */
  | { readonly kind: 'doubtful' }
  | { readonly kind: 'blocked'; readonly message: string };

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
    const key = keyOf(session, id);
    const earlier = this.#calls.get(key);
    const kept = note.kind === 'blocked' || earlier === undefined ? note : undefined;
    this.#calls.set(key, kept ?? (earlier?.kind === 'blocked' ? earlier : { kind: 'doubtful' }));
  }

  of(session: string, id: string): Note | undefined {
    return this.#calls.get(keyOf(session, id));
  }
}

function keyOf(session: string, id: string): string {
  return JSON.stringify([session, id]);
}

const notes = new WeakMap<Guard, Notes>();

export function notesOf(guard: Guard): Notes {
  const known = notes.get(guard) ?? new Notes();
  notes.set(guard, known);
  return known;
}

/** Splits the SDK's name of a tool: `mcp__mail__send` is the tool `send` of the server `mail`. */
export function toolOf(name: string, server?: string): Pick<ToolCall, 'server' | 'tool'> {
  const [, named, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return { server: server ?? named ?? 'claude-agent', tool: tool ?? name };
}

/**
 * Decides about the input or the output of a call. Where only sensitive data was found, the guard may mask, and the masked
 * value is allowed, the call goes on with it.
 * @returns also what may be used instead of the value: itself, or its masked form
 */
export async function decided(
  guard: Guard,
  call: Pick<ToolCall, 'server' | 'tool'>,
  part: { readonly member: 'input' | 'output'; readonly value: unknown },
  context: GuardContext,
): Promise<{ readonly decision: Decision; readonly value?: unknown }> {
  const { member, value } = part;
  const scanned = (given: unknown) => {
    return guard.tool({ ...call, [member]: member === 'output' ? resultOf(given) : given }, context);
  };
  const decision = await scanned(value);
  if (decision.action === 'allow') return { decision, value };
  const { detectors = [] } = decision.verdict ?? {};
  if (detectors.length === 0 || detectors.some((name) => name !== 'dlp')) return { decision };
  // The service masks texts, not tool calls.
  const masks: Decision[] = [];
  const masked = await withTexts(value, isForm, async (text) => {
    const found = await guard.output(text, context);
    if (found.action !== 'mask') return text;
    masks.push(found);
    return found.text ?? '';
  });
  const [mask] = masks;
  if (mask === undefined) return { decision };
  const again = await scanned(masked);
  return again.action === 'allow' ? { decision: mask, value: masked } : { decision };
}

/** Finds words that choose the form of a result: the SDK drops a replacement without them, and the original passes. */
export function isForm(member: string, value: unknown): boolean {
  return (member === 'type' || member === 'mode') && /^[a-z_]{1,20}$/.test(String(value));
}
