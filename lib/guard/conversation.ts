/**
 * Finds the new content of a conversation, so that no turn is scanned and billed twice; masks its texts; checks tool
 * descriptions.
 */
import { objectOf, present } from '../core/json.ts';
import { asReadable } from './readable.ts';
import type { Decision, Guard, GuardContext, Message } from './types.ts';

/** The developer's roles, whose instructions are trusted. Unknown roles are scanned. */
const TRUSTED = ['system', 'developer'];
const MODEL = ['assistant', 'ai', 'model'];

/** Reports whether a message comes from outside: not from the developer or the model. */
export function isForeign({ role }: Message): boolean {
  return !TRUSTED.includes(role) && !MODEL.includes(role);
}

/**
 * Returns the messages after the model's last complete answer: the user's turn and tool results, without the
 * developer's messages.
 */
export function newMessages<Each extends Message>(messages: readonly Each[]): readonly Each[] {
  const roles = messages.map(({ role }) => role);
  const isModel = (at: number) => MODEL.some((role) => role === roles[at]);
  let first = messages.length;
  // A trailing assistant message that the model is to continue is the start of an answer, not a complete one.
  while (isModel(first - 1)) first -= 1;
  while (first > 0 && !isModel(first - 1)) first -= 1;
  return messages.slice(first).filter(({ role }) => !TRUSTED.includes(role));
}

/** By part type or tool output type: the member that holds text or parts. */
const PLACES: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text', 'value']],
  ['error-text', ['value']],
  ['content', ['value']],
  ['tool-result', ['output']],
]);

/** A masked conversation. */
interface MaskedPrompt<Each extends Message> {
  readonly messages: readonly Each[];
  /** A text without a verdict: it may need masking, so the conversation must not be sent. */
  readonly refused?: Decision;
}

/**
 * Masks each text that comes from outside, in every turn, because clients repeat their originals. Leaves texts that are
 * blocked or that can be masked only together: the decision about the whole prompt refuses them.
 */
export async function maskedPrompt<Each extends Message>(
  guard: Guard,
  prompt: readonly Each[],
  context: GuardContext,
): Promise<MaskedPrompt<Each>> {
  if (!guard.masksInput) return { messages: prompt };
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
  return { messages, ...present({ refused }) };
}

/** Masks a text, or the texts of parts. */
async function inContent(content: unknown, mask: (text: string) => Promise<string>): Promise<unknown> {
  if (typeof content === 'string') return mask(content);
  if (Array.isArray(content)) return Promise.all(content.map((part) => inContent(part, mask)));
  const part = objectOf(content);
  const place = PLACES.get(part['type'])?.find((name) => part[name] !== undefined);
  return place === undefined ? content : { ...part, [place]: await inContent(part[place], mask) };
}

/** Maximum descriptions scanned in parallel. */
const AT_ONCE = 4;

/**
 * Decides about descriptions of any shape, a few at a time: any decision other than allow refuses a description. The
 * guard remembers verdicts, so each is scanned once.
 * @returns the decisions in the same order
 */
export async function decideDescriptions(
  guard: Guard,
  descriptions: readonly unknown[],
  context?: GuardContext,
): Promise<readonly Decision[]> {
  const decisions: Decision[] = [];
  while (decisions.length < descriptions.length) {
    const some = descriptions
      .slice(decisions.length, decisions.length + AT_ONCE)
      .map((each) => guard.input(readable(each), context));
    for (const decision of await Promise.all(some)) decisions.push(decision);
  }
  return decisions;
}

/** Reads a description. An unreadable description becomes a message without content, which the guard refuses. */
function readable(description: unknown): Parameters<Guard['input']>[0] {
  try {
    return asReadable(description);
  } catch {
    return [{ role: 'user', content: undefined }];
  }
}
