/** Walks and decides about values whose shape a framework checks: protocol values stay unchanged. */

import { blockedIfMasked } from '../decisions.ts';
import { isFileSign } from '../readable/file.ts';
import { contentText, decoded, isPlain, joined } from '../readable.ts';
import type { Decision, Guard, GuardContext } from '../types.ts';

/** Reports whether a string is a protocol value, such as a type or an id, and not text. */
export type IsSign = (member: string, value: unknown) => boolean;

export type Values = Readonly<Record<string, unknown>>;

/** Framework and provider members whose value is a name or an id. */
const NAMES: ReadonlySet<string> = new Set([
  ...['type', 'subtype', 'sourceType', 'kind', 'index', 'role', 'object', 'event', 'status', 'phase', 'name'],
  ...['toolName', 'finish_reason', 'finishReason', 'stop_reason', 'stop_sequence', 'terminal_reason', 'unified'],
  ...['timestamp', 'raw', 'inputEncoding'],
  ...['model', 'model_name', 'model_provider', 'provider', 'output_version', 'system_fingerprint'],
  ...['service_tier', 'serviceTier', 'trafficType', 'category', 'probability', 'severity'],
]);
const ID_NAME = /(?:^id|^uuid|Id|ID|_id|_uuids?)$/;
const NAME = /^(?!.*\d{13})[\w.:/+@<>-]{0,100}$/;
/** Matches a name made of several words, such as a sentence written with hyphens. */
const SENTENCE = /(?:[a-z]{2,}[-_.:/]){3}/iu;
const KEY = /^[\w.:/+@-]{1,64}$/;
/** Members that a provider encrypts for itself. */
const ENCRYPTED_NAME = /signature|encrypted|redacted/i;
const ENCRYPTED = /^(?!.*\d{13})[\w+/=-]{8,}$/;
/** Numbers below this are shorter than card numbers; names have fewer digits too. */
const SHORT = 1e13;
/** Members that repeat the text in pieces or in the provider's format, which no scan recognises; and padding. */
const PIECES = /^(?:log_?probs(?:_?result)?|obfuscation|__raw_response)$/iu;

/**
 * Reports whether a value may pass unscanned in any framework: names and ids in known members, short numbers, encrypted
 * data.
 */
export function isSign(member: string, value: unknown): boolean {
  if (typeof value === 'boolean' || value instanceof Date) return true;
  if (typeof value === 'number') return Math.abs(value) < SHORT;
  if (typeof value !== 'string') return false;
  // How a file is read depends on its type.
  if (member === 'type' && isFileSign(member, value)) return false;
  if (ENCRYPTED_NAME.test(member)) return ENCRYPTED.test(value);
  return (NAMES.has(member) || ID_NAME.test(member)) && NAME.test(value) && !SENTENCE.test(value);
}

/** Returns a value without the members of these names. @param levels maximum depth: a value may be circular */
export function without(value: unknown, names: RegExp, levels: number): unknown {
  if (levels === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => without(each, names, levels - 1));
  if (!isPlain(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !names.test(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, without(each, names, levels - 1)]));
}

/** Returns members without fragments of the text. */
export function withoutPieces(members: Values = {}): Values {
  return without(members, PIECES, 1) as Values;
}

/** Drops log probabilities from provider metadata: they repeat an answer's text in pieces. */
export function withoutLogprobs<Owner extends Values>(owner: Owner): Owner {
  const told = Object.entries(owner).filter(([name]) => name === 'providerMetadata' || name === 'providerData');
  return { ...owner, ...(without(Object.fromEntries(told), PIECES, 3) as Values) };
}

/** Rewrites every string in a value, and keeps the value's shape. */
export async function withTexts(
  value: unknown,
  isSign: IsSign,
  rewrite: (text: string) => string | Promise<string>,
  member = '',
): Promise<unknown> {
  if (typeof value === 'string') return value === '' || isSign(member, value) ? value : rewrite(value);
  if (Array.isArray(value)) return Promise.all(value.map((each) => withTexts(each, isSign, rewrite, member)));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const entries = Object.entries(value).map(
    async ([name, each]) => [name, await withTexts(each, isSign, rewrite, name)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Removes protocol values; returns undefined if nothing is left to scan. Keys that hold text are kept.
 * @param own members that may hold protocol values: below any other member everything is text. Default: all
 */
export function withoutSigns(value: unknown, isSign: IsSign, own?: ReadonlySet<string>, member = ''): unknown {
  if (isEmpty(value) || isSign(member, value)) return undefined;
  if (Array.isArray(value)) {
    const kept = value.map((each) => withoutSigns(each, isSign, own, member)).filter((each) => each !== undefined);
    return kept.length === 0 ? undefined : kept;
  }
  // The reader accepts only plain objects.
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  const kept = Object.entries(value as Values).flatMap(([name, each]) => {
    if (!KEY.test(name)) return [[name, each ?? true] as const];
    const isOwn = own === undefined || own.has(name);
    const inner = isOwn || isSign(name, each) ? withoutSigns(each, isSign, own, name) : each;
    return isEmpty(inner) ? [] : [[name, inner] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The decision about an empty text. */
export const NOTHING: Decision = Object.freeze({ kind: 'output', action: 'allow', ms: 0, cached: false });

/** Decides about a text. @param read returns it; unreadable content is blocked */
export async function decidedText(guard: Guard, read: () => string, context: GuardContext): Promise<Decision> {
  let text: string;
  try {
    text = read();
  } catch (thrown) {
    // Let the guard refuse it on reading, so that the application is notified.
    return guard.tool({ server: '', tool: '', output: thrown }, context);
  }
  if (text.trim() === '') return NOTHING;
  return guard.output(text, context);
}

/** Decides about texts that a reader joins. Texts that are also read separately cannot be masked. */
export async function decidedTexts(guard: Guard, texts: readonly string[], context: GuardContext): Promise<Decision> {
  const read = joined(texts);
  const decision = await decidedText(guard, () => read, context);
  return read === texts.join('') ? decision : blockedIfMasked(decision);
}

/** Decides about a value that cannot be masked. */
export async function decidedWhole(guard: Guard, value: unknown, context: GuardContext): Promise<Decision> {
  return blockedIfMasked(await decidedText(guard, () => contentText(value), context));
}

/** Reads a tool's result, without file bytes. Returns unreadable results unchanged: the guard refuses them. */
export function resultOf(output: unknown): unknown {
  try {
    return contentText(output);
  } catch {
    return output;
  }
}

/**
 * Decodes a tool's arguments as its reader does: an empty text means no arguments. Returns the error if they are
 * unreadable, which the guard refuses.
 */
export function writtenArguments(written: unknown): unknown {
  if (typeof written !== 'string') return written ?? {};
  try {
    return written.trim() === '' ? {} : decoded(written);
  } catch (thrown) {
    return thrown;
  }
}

/** Adds abort signals to the context of a call: aborting any of them ends the scans of the call. */
export function contextWith(context: GuardContext = {}, ...signals: (AbortSignal | undefined)[]): GuardContext {
  const all = [context.signal, ...signals].filter((each) => each !== undefined);
  return all.length === 0 ? context : { ...context, signal: AbortSignal.any(all) };
}

/**
 * Returns items as a stream that is read only as fast as its reader consumes it.
 * @param leave runs when the reader leaves
 */
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
    // Do not wait for `return`: it waits for the current item, which a model that ignores its signal may never send.
    items.return().catch(() => undefined);
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
