/** Decides about what a LangChain model is asked. */
import { FILES, newMessages, textOf } from '../../new-content.ts';
import { blockedIfMasked } from '../../telling.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { asMessage, copyOf, type LangMessage } from './messages.ts';

export interface CheckedInput {
  readonly decision: Decision;
  /** All messages, with the masked ones in place of the original ones. */
  readonly messages: readonly LangMessage[];
  /** The messages that are new. */
  readonly fresh: readonly LangMessage[];
}

/** Messages that were scanned before they came here, such as results of tools. */
export type IsCleared = (message: LangMessage) => boolean;

/** Decides about new content, and masks it. A mask across several messages cannot be applied: the content is blocked. */
export async function checkedInput(
  guard: Guard,
  messages: readonly LangMessage[],
  { context, isCleared }: { readonly context: GuardContext; readonly isCleared: IsCleared },
): Promise<CheckedInput> {
  // A message that was scanned still shows where the user's turn ends.
  const read = messages.map((original) => ({
    ...asMessage(original),
    ...(isCleared(original) ? { content: '' } : {}),
    original,
  }));
  const fresh = newMessages(read).filter(({ content }) => content !== '');
  const originals = fresh.map(({ original }) => original);
  const decision = await guard.input(
    read.map(({ role, content }) => ({ role, content })),
    context,
  );
  if (decision.action !== 'mask') return { decision, messages, fresh: originals };
  const masks = new Map<LangMessage, LangMessage>();
  for (const original of originals) {
    const each = originals.length === 1 ? decision : await guard.input(textOf(original.content), context);
    if (each.action === 'block') return { decision: each, messages, fresh: originals };
    if (each.action === 'mask') masks.set(original, masked(original, each.text ?? ''));
  }
  if (masks.size === 0) return { decision: blockedIfMasked(decision), messages, fresh: originals };
  return { decision, messages: messages.map((each) => masks.get(each) ?? each), fresh: originals };
}

/** Replaces the texts of a message; its files stay, without the texts beside them. */
function masked(message: LangMessage, text: string): LangMessage {
  const { content } = message;
  if (!Array.isArray(content)) return copyOf(message, { content: text });
  const files = (content as readonly unknown[]).filter(isFile).map(withoutTexts);
  return copyOf(message, { content: [{ type: 'text', text }, ...files] });
}

function isFile(part: unknown): part is object {
  return FILES.includes(String((part as { type?: unknown } | null)?.type));
}

function withoutTexts(file: object): object {
  const { type } = file as { readonly type: unknown };
  const members: readonly (readonly [string, unknown])[] = Object.entries(file);
  return Object.fromEntries(members.filter(([name, value]) => textOf({ type, [name]: value }) === ''));
}
