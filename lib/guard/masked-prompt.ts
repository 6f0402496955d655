/** Masks the texts of a conversation before the model reads it, in the forms of the Vercel AI SDK and of chat completions. */
import { isForeign } from './new-content.ts';
import type { Decision, Guard, GuardContext, Message } from './types.ts';

type Values = Readonly<Record<string, unknown>>;

/** Outputs of tools whose value is a text. */
const TEXT_OUTPUTS = ['text', 'error-text'];

/** A conversation with its masks. */
export interface MaskedPrompt<Each extends Message> {
  readonly messages: readonly Each[];
  /** A text that no scan decided about: it may have what must be masked, so the conversation must not be sent. */
  readonly refused?: Decision;
}

/**
 * Masks each text that comes from outside, in every turn, because clients repeat their originals. What has the verdict block, or
 * can be masked only together with others, stays: the decision about the whole prompt refuses it.
 */
export async function maskedPrompt<Each extends Message>(
  guard: Guard,
  prompt: readonly Each[],
  context: GuardContext,
): Promise<MaskedPrompt<Each>> {
  const masking = new Masking(guard, context);
  const messages = await Promise.all(
    prompt.map(async (message) => {
      if (!isForeign(message)) return message;
      return { ...message, content: await masking.content(message.content) };
    }),
  );
  return masking.refused === undefined ? { messages } : { messages, refused: masking.refused };
}

class Masking {
  readonly #guard: Guard;
  readonly #context: GuardContext;
  refused: Decision | undefined;

  constructor(guard: Guard, context: GuardContext) {
    this.#guard = guard;
    this.#context = context;
  }

  content(content: unknown): unknown {
    if (typeof content === 'string') return this.#text(content);
    return Array.isArray(content) ? Promise.all(content.map((part) => this.#part(part))) : content;
  }

  async #part(part: unknown): Promise<unknown> {
    if (typeof part !== 'object' || part === null) return part;
    const { type, text, output } = part as Values;
    if (type === 'text' && typeof text === 'string') return { ...part, text: await this.#text(text) };
    return type === 'tool-result' ? { ...part, output: await this.#output(output) } : part;
  }

  async #output(output: unknown): Promise<unknown> {
    if (typeof output !== 'object' || output === null) return output;
    const { type, value } = output as Values;
    const isText = TEXT_OUTPUTS.includes(String(type)) && typeof value === 'string';
    return isText || type === 'content' ? { ...output, value: await this.content(value) } : output;
  }

  async #text(text: string): Promise<string> {
    const decision = await this.#guard.input(text, this.#context);
    if (decision.action === 'block' && decision.unscanned !== undefined) this.refused ??= decision;
    return decision.action === 'mask' ? (decision.text ?? '') : text;
  }
}
