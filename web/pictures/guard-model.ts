/** Asks the guard, and keeps its decisions. */
import { signal } from '@preact/signals';
import { ApiError, eventsOf, problemFrom, send, sendJson } from '../api.ts';
import type { Problem } from '../types.ts';
import { eventsFor, jsonIn, messagesIn } from './conversation.ts';

export interface Decision {
  readonly kind: 'input' | 'output' | 'tool';
  readonly action: 'allow' | 'block' | 'mask';
  readonly text?: string;
  readonly verdict?: {
    readonly action: string;
    readonly category: string;
    readonly profile: string;
    readonly detectors: readonly string[];
  };
  /** Why there is no complete verdict. */
  readonly unscanned?: string;
  readonly scanId?: string;
  readonly ms: number;
  readonly cached: boolean;
}

/** What is checked. */
export type Checked = 'prompt' | 'conversation' | 'answer' | 'tool';

export interface Asked {
  readonly kind: Checked;
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

/** Ends a check that has not ended. */
export function stopCheck(): void {
  leaving.abort();
  if (check.value?.isOver === false) check.value = undefined;
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

async function decide({ kind, profile, ...asked }: Asked, left: AbortSignal): Promise<Decision> {
  const body =
    kind === 'tool'
      ? {
          ...{ profile, server: asked.server, tool: asked.tool },
          ...(asked.input.trim() === '' ? {} : { input: jsonIn(asked.input, 'input') }),
          ...(asked.output === '' ? {} : { output: asked.output }),
        }
      : kind === 'conversation'
        ? { profile, messages: messagesIn(asked.text) }
        : { profile, text: asked.text };
  return sendJson(`/v1/guard/${kind === 'tool' ? 'tool' : 'input'}`, { method: 'POST', body, signal: left });
}

async function stream({ profile, text }: Asked, left: AbortSignal, update: (more: Partial<Check>) => void) {
  const response = await send(`/v1/guard/stream?profile=${encodeURIComponent(profile)}`, {
    method: 'POST',
    body: new Blob([eventsFor(text)]),
    headers: { 'content-type': 'text/event-stream' },
    signal: left,
  });
  for await (const { event, data } of eventsOf(response)) {
    if (event === 'decision') return update({ decision: data as Decision, isOver: true });
    if (event === 'problem') throw new ApiError(data as Problem);
    const { text: released = '' } = data as { readonly text?: string };
    update({ released: (check.value?.released ?? '') + released });
  }
  throw new Error('The stream ended without a decision, so the answer is not complete.');
}
