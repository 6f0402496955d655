/** Asks the guard, and keeps its last decision. */
import { signal } from '@preact/signals';
import { ApiError, eventsOf, problemFrom, send, sendJson } from '../api.ts';
import type { Problem } from '../types.ts';
import { eventsFor, jsonIn, messagesIn } from './conversation.ts';

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

/** What is checked. */
export interface Asked {
  readonly kind: 'prompt' | 'conversation' | 'answer' | 'tool';
  readonly profile: string;
  readonly text: string;
  readonly server: string;
  readonly tool: string;
  /** JSON of the arguments of a call. */
  readonly input: string;
  /** What the tool returned. */
  readonly output: string;
}

/** A check and what the guard says about it. */
export interface Check {
  readonly asked: Asked;
  readonly decision?: Decision;
  readonly problem?: Problem;
  /** Of an answer: what its reader may see so far. */
  readonly released: string;
  readonly isOver: boolean;
}

/** The last check. */
export const check = signal<Check | undefined>(undefined);

let leaving = new AbortController();

/** Ends a check that has not ended, and forgets it. */
export function stopCheck(): void {
  leaving.abort();
  check.value = undefined;
}

/** Checks a content with the guard. */
export async function ask(asked: Asked): Promise<void> {
  leaving.abort();
  leaving = new AbortController();
  const { signal: left } = leaving;
  check.value = { asked, released: '', isOver: false };
  const update = (more: Partial<Check>) => {
    if (!left.aborted && check.value !== undefined) check.value = { ...check.value, ...more };
  };
  try {
    if (asked.kind === 'answer') await stream(asked, left, update);
    else update({ decision: await decide(asked, left), isOver: true });
  } catch (thrown) {
    update({ problem: problemFrom(thrown), isOver: true });
  }
}

function decide({ kind, profile, text, server, tool, input, output }: Asked, left: AbortSignal): Promise<Decision> {
  const content = kind === 'conversation' ? { messages: messagesIn(text) } : { text };
  const call = {
    ...{ server, tool },
    ...(input.trim() === '' ? {} : { input: jsonIn(input) }),
    ...(output === '' ? {} : { output }),
  };
  const [path, body] = kind === 'tool' ? ['tool', call] : ['input', content];
  return sendJson(`/v1/guard/${path}`, { method: 'POST', body: { profile, ...body }, signal: left });
}

async function stream({ profile, text }: Asked, left: AbortSignal, update: (more: Partial<Check>) => void) {
  const path = `/v1/guard/stream?profile=${encodeURIComponent(profile)}`;
  const headers = { 'content-type': 'text/event-stream' };
  const response = await send(path, { method: 'POST', body: new Blob([eventsFor(text)]), headers, signal: left });
  for await (const { event, data } of eventsOf(response)) {
    if (event === 'decision') return update({ decision: data as Decision, isOver: true });
    if (event === 'problem') throw new ApiError(data as Problem);
    update({ released: `${check.value?.released ?? ''}${(data as { readonly text: string }).text}` });
  }
  throw new Error('The stream ended without a decision, so the answer is not complete.');
}
