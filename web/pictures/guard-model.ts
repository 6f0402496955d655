/** Asks the guard, and keeps its last decision. */
import { signal } from '@preact/signals';
import { ApiError, eventsOf, problemFrom, send, sendJson } from '../api.ts';
import type { Problem } from '../types.ts';
import { eventsFor, messagesIn } from './conversation.ts';

export interface Decision {
  readonly action: 'allow' | 'block' | 'mask';
  readonly text?: string;
  readonly verdict?: { readonly category: string; readonly profile: string; readonly detectors: readonly string[] };
  /** Why there is no complete verdict. */
  readonly unscanned?: string;
  readonly scanId?: string;
  readonly ms: number;
  readonly cached: boolean;
}

/** What the guard says about a text; over with a decision or a problem. */
export interface Check {
  /** The answer of a model, if that is checked. */
  readonly answer: string | undefined;
  /** What a reader of the answer may see so far. */
  readonly released: string;
  readonly decision?: Decision;
  readonly problem?: Problem;
}

/** The last check. */
export const check = signal<Check | undefined>(undefined);

let leaving = new AbortController();

/** Ends a check that has not ended, and forgets it. */
export function stopCheck(): void {
  leaving.abort();
  check.value = undefined;
}

/** Checks a prompt or a conversation, or streams the answer of a model through the guard. */
export async function ask(profile: string, text: string, isAnswer: boolean): Promise<void> {
  leaving.abort();
  leaving = new AbortController();
  const { signal: left } = leaving;
  const start = { answer: isAnswer ? text : undefined, released: '' };
  const update = (more: Partial<Check>) => {
    if (!left.aborted) check.value = { ...start, ...check.value, ...more };
  };
  check.value = start;
  try {
    if (isAnswer) await stream(profile, text, left, update);
    else {
      const body = { profile, messages: messagesIn(text) };
      update({ decision: await sendJson<Decision>('/v1/guard/input', { method: 'POST', body, signal: left }) });
    }
  } catch (thrown) {
    update({ problem: problemFrom(thrown) });
  }
}

async function stream(profile: string, text: string, left: AbortSignal, update: (more: Partial<Check>) => void) {
  const path = `/v1/guard/stream?profile=${encodeURIComponent(profile)}`;
  const headers = { 'content-type': 'text/event-stream' };
  const response = await send(path, { method: 'POST', body: new Blob([eventsFor(text)]), headers, signal: left });
  for await (const { event, data } of eventsOf(response)) {
    if (event === 'decision') return update({ decision: data as Decision });
    if (event === 'problem') throw new ApiError(data as Problem);
    update({ released: `${check.value?.released ?? ''}${(data as { readonly text: string }).text}` });
  }
  throw new Error('The stream ended without a decision, so the answer is not complete.');
}
