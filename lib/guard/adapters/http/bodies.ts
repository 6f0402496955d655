/** Decides about a request body and its answer according to the options; the same for each framework. */
import { unreadable } from '../../decisions.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { contextWith } from '../values.ts';
import {
  type AnswerHead,
  bodyChecked,
  bodyText,
  type Chunks,
  type Field,
  fieldOf,
  hasEvents,
  promptIn,
  UNREADABLE,
  withValue,
} from './answer.ts';
import { guardedEvents } from './held-events.ts';
import { bodyOf } from './sse.ts';

export interface BodyOptions {
  /** The request field that holds the prompt: a string, or messages. */
  readonly prompt: Field;
  /** Path of the text in a JSON answer that may be masked, joined by dots. The whole answer is always scanned. */
  readonly answer?: string;
  /** Passes requests without the prompt. Default: false. */
  readonly optional?: boolean;
  /** Returns the response to a blocked request or answer. Default: 422 with an RFC 9457 problem. */
  readonly blocked?: (decision: Decision) => Refusal;
  /** Returns the session, turn and user of the framework's request. */
  readonly context?: (request: unknown) => GuardContext;
}

export interface Refusal {
  readonly status: number;
  readonly body: unknown;
  /** Default: `application/json`. */
  readonly type?: string;
}

/** The body to pass on, or the response to send instead. */
export type Checked<Body> = { readonly body: Body } | { readonly refusal: Required<Refusal> & { body: string } };

const PROBLEM = 'application/problem+json';

export class Bodies {
  readonly #guard: Guard;
  readonly #options: BodyOptions;

  constructor(guard: Guard, options: BodyOptions) {
    this.#guard = guard;
    this.#options = options;
  }

  contextOf(request: unknown, signal: AbortSignal): GuardContext {
    return contextWith(this.#options.context?.(request), signal);
  }

  /**
   * Decides about the body of a request.
   * @param read returns the parsed body; if it throws, the body counts as unreadable
   * @param canMask whether the handler reads the returned body
   */
  async asked(read: () => unknown, context: GuardContext, canMask = true): Promise<Checked<unknown>> {
    const { prompt: field, optional = false } = this.#options;
    let body: unknown;
    let prompt: ReturnType<typeof promptIn>;
    try {
      body = await read();
      const value = fieldOf(body, field);
      if (value === undefined && optional) return { body };
      prompt = promptIn(value);
    } catch {
      // The request has no readable prompt.
    }
    if (prompt === undefined) return this.#refused(unreadable('input'));
    const decision = await this.#guard.input(prompt, context);
    if (decision.action === 'allow') return { body };
    // Only a text at a path can be replaced by masked text.
    const hasPlace = canMask && typeof prompt === 'string' && typeof field === 'string';
    if (decision.action !== 'mask' || !hasPlace) return this.#refused(decision);
    return { body: withValue(body, field.split('.'), decision.text ?? '') };
  }

  /** Decides about an answer: event by event, or once it is complete. */
  async answered(
    chunks: Chunks | undefined,
    head: AnswerHead,
    context: GuardContext,
  ): Promise<Checked<string | ReadableStream<Uint8Array>>> {
    if (chunks === undefined) return this.#refused(UNREADABLE);
    if (hasEvents(head)) return { body: this.#events(chunks, context) };
    // An answer that is not UTF-8, or whose handler failed, is unreadable too.
    const text = await bodyText(chunks).catch(() => undefined);
    if (text === undefined) return this.#refused(UNREADABLE);
    const options = { guard: this.#guard, field: this.#options.answer, context };
    const checked = await bodyChecked(text, head, options);
    return 'passed' in checked ? { body: checked.passed } : this.#refused(checked.refused);
  }

  /** Returns the response to a refused request or answer. */
  #refused(decision: Decision): Checked<never> {
    const detail = this.#guard.message(decision);
    const problem = { type: 'about:blank', title: 'Unprocessable Content', status: 422, detail };
    const { status, body, type } = this.#options.blocked?.(decision) ?? { status: 422, body: problem, type: PROBLEM };
    return { refusal: { status, body: JSON.stringify(body), type: type ?? 'application/json' } };
  }

  /** Returns the events that may pass. Ends the handler's stream after a block, and when the reader leaves. */
  #events(chunks: Chunks, context: GuardContext): ReadableStream<Uint8Array> {
    const leaving = new AbortController();
    const events = guardedEvents(this.#guard, chunks, contextWith(context, leaving.signal));
    // A framework may not cancel the stream when its reader leaves.
    context.signal?.addEventListener('abort', () => void events.return().catch(() => undefined), { once: true });
    return bodyOf(events, () => leaving.abort());
  }
}
