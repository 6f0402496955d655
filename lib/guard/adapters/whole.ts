/** Reads and decides about values of a framework. */
import { contentText } from '../readable.ts';
import { blockedIfMasked } from '../telling.ts';
import type { Decision, Guard, GuardContext } from '../types.ts';

/** Decides about a text. @param read makes it; what cannot be read is blocked */
export async function decidedText(guard: Guard, read: () => string, context: GuardContext): Promise<Decision> {
  const decision = { kind: 'output', ms: 0, cached: false } as const;
  let text: string;
  try {
    text = read();
  } catch {
    return { ...decision, action: 'block', unscanned: 'unreadable' };
  }
  return text.trim() === '' ? { ...decision, action: 'allow' } : guard.output(text, context);
}

/** Decides about a value that no mask can be put into. */
export async function decidedWhole(guard: Guard, value: unknown, context: GuardContext): Promise<Decision> {
  return blockedIfMasked(await decidedText(guard, () => contentText(value), context));
}

/** Reads what a tool has returned, without the bytes of files. What cannot be read stays as it is: the guard refuses it. */
export function resultOf(output: unknown): unknown {
  try {
    return contentText(output);
  } catch {
    return output;
  }
}
