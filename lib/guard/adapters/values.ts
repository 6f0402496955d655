/** Walks and decides about values whose form a framework checks: words of its protocol stay as they are. */

import { blockedIfMasked } from '../decisions.ts';
import { isFileSign } from '../readable/file.ts';
import { contentText, decoded, isPlain, joined } from '../readable.ts';
import type { Decision, Guard, GuardContext } from '../types.ts';

/** Tells a word of a protocol, such as a type or an id, from a text. */
export type IsSign = (member: string, value: unknown) => boolean;

export type Values = Readonly<Record<string, unknown>>;

/** Members of frameworks and providers whose value is a name or an id. */
const NAMES: ReadonlySet<string> = new Set([
  ...['type', 'subtype', 'sourceType', 'kind', 'index', 'role', 'object', 'event', 'status', 'phase', 'name'],
  ...['toolName', 'finish_reason', 'finishReason', 'stop_reason', 'stop_sequence', 'terminal_reason', 'unified'],
  ...['timestamp', 'raw', 'inputEncoding'],
  ...['model', 'model_name', 'model_provider', 'provider', 'output_version', 'system_fingerprint'],
  ...['service_tier', 'serviceTier', 'trafficType', 'category', 'probability', 'severity'],
]);
const ID_NAME = /(?:^id|^uuid|Id|ID|_id|_uuids?)$/;
const NAME = /^(?!.*\d{13})[\w.:/+@<>-]{0,100}$/;
/** Words in a name, such as those of a sentence with hyphens. */
const SENTENCE = /(?:[a-z]{2,}[-_.:/]){3}/iu;
const KEY = /^[\w.:/+@-]{1,64}$/;
/** Members that a provider encrypts for itself. */
const ENCRYPTED_NAME = /signature|encrypted|redacted/i;
const ENCRYPTED = /^(?!.*\d{13})[\w+/=-]{8,}$/;
/** Numbers below are shorter than those of cards; a name has no more digits either. */
const SHORT = 1e13;
/** The text once more, in pieces or in the form of the provider, where no scan recognises it; or what fills a chunk up. */
const PIECES = /^(?:log_?probs(?:_?result)?|obfuscation|__raw_response)$/iu;

/** Tells what may pass unscanned in any framework: names and ids in their known members, short numbers, what is encrypted. */
export function isSign(member: string, value: unknown): boolean {
  if (typeof value === 'boolean' || value instanceof Date) return true;
  if (typeof value === 'number') return Math.abs(value) < SHORT;
  if (typeof value !== 'string') return false;
  // A file is read by its type.
  if (member === 'type' && isFileSign(member, value)) return false;
  if (ENCRYPTED_NAME.test(member)) return ENCRYPTED.test(value);
  return (NAMES.has(member) || ID_NAME.test(member)) && NAME.test(value) && !SENTENCE.test(value);
}

/** Returns a value without the members of these names. @param levels how deep they may be: a value may be a circle */
export function without(value: unknown, names: RegExp, levels: number): unknown {
  if (levels === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => without(each, names, levels - 1));
  if (!isPlain(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !names.test(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, without(each, names, levels - 1)]));
}

/** Returns members without text in pieces. */
export function withoutPieces(members: Values = {}): Values {
  return without(members, PIECES, 1) as Values;
}

/** Drops log probabilities from what the provider tells: they have the text of an answer in pieces. */
export function withoutLogprobs<Owner extends Values>(owner: Owner): Owner {
  const told = Object.entries(owner).filter(([name]) => name === 'providerMetadata' || name === 'providerData');
  return { ...owner, ...(without(Object.fromEntries(told), PIECES, 3) as Values) };
}

/** Rewrites every text of a value, and keeps its form. */
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
 * Returns a value of a protocol without its signs; undefined if nothing is left that has to be scanned. A key with words stays.
 * @param own members whose values are of the protocol too: below any other member everything is text. Default: all
 */
export function withoutSigns(value: unknown, isSign: IsSign, own?: ReadonlySet<string>, member = ''): unknown {
  if (isEmpty(value) || isSign(member, value)) return undefined;
  if (Array.isArray(value)) {
    const kept = value.map((each) => withoutSigns(each, isSign, own, member)).filter((each) => each !== undefined);
    return kept.length === 0 ? undefined : kept;
  }
  // The reader refuses anything but a plain object.
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

/** The decision about a text without words. */
export const NOTHING: Decision = Object.freeze({ kind: 'output', action: 'allow', ms: 0, cached: false });

/** Decides about a text. @param read makes it; what cannot be read is blocked */
export async function decidedText(guard: Guard, read: () => string, context: GuardContext): Promise<Decision> {
  let text: string;
  try {
    text = read();
  } catch (thrown) {
    // The guard refuses it as it reads it, so that the application hears of it.
    return guard.tool({ server: '', tool: '', output: thrown }, context);
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
export function writtenArguments(written: unknown): unknown {
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
