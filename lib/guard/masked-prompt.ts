/** Masks the texts of a conversation before the model reads it, in the forms of the Vercel AI SDK and of chat completions. */
import { objectOf } from '../core/json.ts';
import { isForeign } from './new-content.ts';
import type { Decision, Guard, GuardContext, Message } from './types.ts';

/** Members with text, or with parts, by the type of a part or of a tool's output. */
const PLACES: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text', 'value']],
  ['error-text', ['value']],
  ['content', ['value']],
  ['tool-result', ['output']],
]);

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
  let refused: Decision | undefined;
  const masked = async (text: string): Promise<string> => {
    const decision = await guard.input(text, context);
    if (decision.action === 'block' && decision.unscanned !== undefined) refused ??= decision;
    return decision.action === 'mask' ? (decision.text ?? '') : text;
  };
  const messages = await Promise.all(
    prompt.map(async (message) => {
      if (!isForeign(message)) return message;
      return { ...message, content: await inContent(message.content, masked) };
    }),
  );
  return refused === undefined ? { messages } : { messages, refused };
}

/** Masks a text, or the texts of parts. */
async function inContent(content: unknown, mask: (text: string) => Promise<string>): Promise<unknown> {
  if (typeof content === 'string') return mask(content);
  if (Array.isArray(content)) return Promise.all(content.map((part) => inContent(part, mask)));
  const part = objectOf(content);
  const place = PLACES.get(part['type'])?.find((name) => part[name] !== undefined);
  return place === undefined ? content : { ...part, [place]: await inContent(part[place], mask) };
}
