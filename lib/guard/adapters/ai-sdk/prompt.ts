/** Masks the texts of a prompt of the Vercel AI SDK before the model reads it. */
import type { Guard, GuardContext, Message } from '../../types.ts';

type Values = Readonly<Record<string, unknown>>;

/** Roles whose texts come from outside; the SDK repeats their originals in each turn. */
const MASKED = ['user', 'tool'];
/** Outputs of tools whose value is a text. */
const TEXT_OUTPUTS = ['text', 'error-text'];

/**
 * Masks each text of users and tools, in every turn. What is blocked, or can be masked only together with others, stays: the
 * decision about the whole prompt refuses it.
 */
export function maskedPrompt(
  guard: Guard,
  prompt: readonly Message[],
  context: GuardContext,
): Promise<readonly Message[]> {
  const masking = new Masking(guard, context);
  return Promise.all(
    prompt.map(async (message) => {
      if (!MASKED.includes(message.role)) return message;
      return { ...message, content: await masking.content(message.content) };
    }),
  );
}

class Masking {
  readonly #guard: Guard;
  readonly #context: GuardContext;

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
    return decision.action === 'mask' ? (decision.text ?? '') : text;
  }
}
