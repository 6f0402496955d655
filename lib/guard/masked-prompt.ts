/** Masks the texts of a conversation before the model reads it, in the forms of the Vercel AI SDK and of chat completions. */
import { objectOf } from '../core/json.ts';
import { isForeign } from './new-content.ts';
import type { Decision, Guard, GuardContext, Message } from './types.ts';

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

type Mask = (text: string) => Promise<string>;

async function inContent(content: unknown, mask: Mask): Promise<unknown> {
  if (typeof content === 'string') return mask(content);
  return Array.isArray(content) ? Promise.all(content.map((part) => inPart(part, mask))) : content;
}

async function inPart(part: unknown, mask: Mask): Promise<unknown> {
  const { type, text, output } = objectOf(part);
  if (type === 'text' && typeof text === 'string') return { ...objectOf(part), text: await mask(text) };
  return type === 'tool-result' ? { ...objectOf(part), output: await inOutput(output, mask) } : part;
}

async function inOutput(output: unknown, mask: Mask): Promise<unknown> {
  const { type, value } = objectOf(output);
  const isText = TEXT_OUTPUTS.includes(String(type)) && typeof value === 'string';
  return isText || type === 'content' ? { ...objectOf(output), value: await inContent(value, mask) } : output;
}
