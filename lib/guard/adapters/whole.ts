/** Reads and decides about values of a framework. */
import { contentText, decoded, joined } from '../readable.ts';
import { blockedIfMasked } from '../telling.ts';
import type { Decision, Guard, GuardContext, ToolCall } from '../types.ts';

/** The decision about a text without words. */
export const NOTHING: Decision = Object.freeze({ kind: 'output', action: 'allow', ms: 0, cached: false });

/** Decides about a text. @param read makes it; what cannot be read is blocked */
export async function decidedText(guard: Guard, read: () => string, context: GuardContext): Promise<Decision> {
  let text: string;
  try {
    text = read();
  } catch (thrown) {
    return guard.tool(unreadable(thrown), context);
  }
  if (text.trim() === '') return NOTHING;
  return guard.output(text, context);
}

/** Decides about texts that a reader joins. A mask of texts that are also read apart has no place. */
export async function decidedTexts(guard: Guard, texts: readonly string[], context: GuardContext): Promise<Decision> {
  const read = joined(texts);
  const decision = await decidedText(guard, () => read, context);
  return read === texts.join('') ? decision : blockedIfMasked(decision);
}

/** Returns what the guard refuses as it reads it, so that the application hears of it. @param thrown says why it is unreadable */
function unreadable(thrown: unknown): ToolCall {
  return {
    ...{ server: '', tool: '' },
    get output(): never {
      throw thrown;
    },
  };
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

/**
 * Decodes the arguments of a tool, as its reader does: no text is no arguments. The guard refuses what cannot be read, such as the
 * error instead of it.
 */
export function argumentsOf(written: unknown): unknown {
  if (typeof written !== 'string') return written ?? {};
  try {
    return written.trim() === '' ? {} : decoded(written);
  } catch (thrown) {
    return thrown;
  }
}

/** Adds the signals of a call to its context: any of them ends its scans. */
export function contextWith(context: GuardContext = {}, ...signals: (AbortSignal | undefined)[]): GuardContext {
  const all = [context.signal, ...signals].filter((each) => each !== undefined);
  return all.length === 0 ? context : { ...context, signal: AbortSignal.any(all) };
}

/** Returns items as a stream that is read as fast as its reader takes it. @param leave runs when the reader leaves */
export function streamOf<Item>(
  items: AsyncGenerator<Item, void>,
  leave: (reason: unknown) => void,
): ReadableStream<Item> {
  const pull = async (controller: ReadableStreamDefaultController<Item>) => {
    const { done, value } = await items.next();
    if (done === true) controller.close();
    else controller.enqueue(value);
  };
  const cancel = (reason: unknown) => {
    leave(reason);
    // It waits for the item under way, which a model that ignores its signal may never send.
    items.return().catch(() => undefined);
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
