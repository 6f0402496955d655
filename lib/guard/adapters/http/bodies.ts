/** Decides about the body of a request, and about the events of its answer, as the options say; the same for each framework. */
import type { Decision, Guard, GuardContext } from '../../types.ts';
import {
  type AnswerHead,
  type AnswerOptions,
  bodyChecked,
  type Checked,
  type Field,
  fieldOf,
  promptIn,
  UNREADABLE,
  wholeText,
  withValue,
} from './answer.ts';
import { HeldEvents } from './held-events.ts';

export interface BodyOptions {
  /** The field of the request with the prompt: a text, or messages. */
  readonly prompt: Field;
  /** The field of an answer, or of each of its events. Answers without it, and by default all answers, are scanned as a whole. */
  readonly answer?: Field;
  /** Lets requests without the prompt pass. Default: false. */
  readonly optional?: boolean;
  /** Returns the response to a blocked request or answer. Default: 422 with a problem of RFC 9457. */
  readonly blocked?: (decision: Decision) => Refusal;
  /** Returns session, turn and user of a request, as the framework has it. */
  readonly context?: (request: unknown) => GuardContext;
}

export interface Refusal {
  readonly status: number;
  readonly body: unknown;
  /** Default: `application/json`. */
  readonly type?: string;
}

const PROBLEM = 'application/problem+json';

/** A request that may pass, with its body, or its refusal. */
type Asked = { readonly body: unknown } | { readonly refused: Decision };

export class Bodies {
  readonly guard: Guard;
  readonly #options: BodyOptions;

  constructor(guard: Guard, options: BodyOptions) {
    this.guard = guard;
    this.#options = options;
  }

  contextOf(request: unknown, signal: AbortSignal): GuardContext {
    return { ...this.#options.context?.(request), signal };
  }

  /** Decides about a complete answer. @returns the body that may pass, or the decision that refuses it */
  async answered(
    chunks: AsyncIterable<unknown> | undefined,
    head: AnswerHead,
    context: GuardContext,
  ): Promise<Checked> {
    try {
      const text = chunks === undefined ? undefined : await wholeText(chunks);
      if (text !== undefined) return await bodyChecked(text, head, this.#answerOptions(context));
    } catch {
      // It is no UTF-8, or its handler failed.
    }
    return { refused: UNREADABLE };
  }

  #answerOptions(context: GuardContext): AnswerOptions {
    return { guard: this.guard, field: this.#options.answer, context };
  }

  async asked(body: unknown, context: GuardContext): Promise<Asked> {
    const { prompt: field, optional = false } = this.#options;
    const refused: Decision = { ...UNREADABLE, kind: 'input' };
    let prompt: ReturnType<typeof promptIn>;
    try {
      const value = fieldOf(body, field);
      if (value === undefined && optional) return { body };
      prompt = promptIn(value);
    } catch {
      return { refused };
    }
    if (prompt === undefined) return { refused };
    const decision = await this.guard.input(prompt, context);
    if (decision.action === 'allow') return { body };
    // Only a text at a path can be replaced by masked text.
    if (decision.action !== 'mask' || typeof prompt !== 'string' || typeof field !== 'string')
      return { refused: decision };
    return { body: withValue(body, field.split('.'), decision.text ?? '') };
  }

  refusal(decision: Decision): Required<Refusal> {
    const detail = this.guard.message(decision);
    const problem = { type: 'about:blank', title: 'Unprocessable Content', status: 422, detail };
    const { status, body, type } = this.#options.blocked?.(decision) ?? { status: 422, body: problem, type: PROBLEM };
    return { status, body: JSON.stringify(body), type: type ?? 'application/json' };
  }

  /** Returns the events of an answer that may pass. Ends the handler's stream after a block, and when the reader leaves. */
  events(chunks: AsyncIterable<unknown>, context: GuardContext): ReadableStream<Uint8Array> {
    const held = new HeldEvents(this.#answerOptions(context));
    const source = chunks[Symbol.asyncIterator]();
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const encoder = new TextEncoder();
    const end = async () => {
      held.cancel();
      await source.return?.();
    };
    // A framework may not cancel the stream when its reader leaves.
    context.signal?.addEventListener('abort', () => void end().catch(() => undefined), { once: true });
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        for (;;) {
          const read: IteratorResult<unknown, unknown> = await source.next();
          const { done, value } = read;
          const text = typeof value === 'string' ? value : decoder.decode(value as Uint8Array, { stream: !done });
          const added = await held.push(text);
          const passed = done && held.refused === undefined ? added + (await held.end()) : added;
          if (passed !== '') controller.enqueue(encoder.encode(passed));
          if (held.refused !== undefined) controller.enqueue(encoder.encode(this.#lastEvent(held.refused)));
          if (held.refused !== undefined || done === true) {
            controller.close();
            return end();
          }
          if (passed !== '') return undefined;
        }
      },
      cancel: end,
    });
  }

  #lastEvent(decision: Decision): string {
    const error = { type: 'content_filter', message: this.guard.message(decision) };
    return `event: error\ndata: ${JSON.stringify({ error })}\n\n`;
  }
}
