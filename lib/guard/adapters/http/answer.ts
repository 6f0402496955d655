/** Decides about complete HTTP bodies: JSON and text. */
import { isObject, type JsonObject, MAX_DEPTH } from '../../../core/json.ts';
import { claimsUtf8 } from '../../../core/text/charset.ts';
import { unreadable } from '../../decisions.ts';
import { isEncoded } from '../../readable/json.ts';
import { asReadable, decoded } from '../../readable.ts';
import type { Decision, Guard, GuardContext, Message } from '../../types.ts';
import { without } from '../values.ts';

/**
 * Path of a text: member names joined by dots, such as `choices.0.delta.content`, or a function that returns the text.
 */
export type Field = string | ((body: unknown) => unknown);

/** The headers of an answer that determine how its body is read. */
export interface AnswerHead {
  readonly type: string;
  readonly encoding: string;
}

/** Chunks of a body: strings or bytes. */
export type Chunks = AsyncIterable<unknown> | Iterable<unknown>;

/** Maximum size of a held answer, in bytes. */
export const MAX_BYTES = 8 * 1024 * 1024;
const EVENTS = /^text\/event-stream\b/i;
export const JSONS = /^application\/(?:[\w.+-]+\+)?json\b/i;
const TEXTS = /^text\//i;
/** Members that repeat a masked text, in pieces or in another form. */
const REPEATS = /^(?:(?:top_)?log_?probs|annotations|tokens|provider_?metadata)$/i;
export const UNREADABLE = unreadable('output');

/** Returns the value of a field; undefined where it is missing. */
export function fieldOf(body: unknown, field: Field): unknown {
  if (typeof field === 'function') return field(body);
  let value = body;
  for (const name of field.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

/** Returns a copy with another value of a field that exists. */
export function withValue(body: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  const copy: Record<string, unknown> = Array.isArray(body)
    ? (Object.assign([], body) as never)
    : { ...(body as object) };
  copy[name] = rest.length === 0 ? value : withValue(copy[name], rest, value);
  return copy;
}

/** Returns a prompt if it has a known shape: a string, or messages. */
export function promptIn(value: unknown): string | readonly Message[] | undefined {
  if (typeof value === 'string') return value;
  const isList = Array.isArray(value) && value.every((each) => isObject(each) && typeof each['role'] === 'string');
  return isList ? (value as readonly Message[]) : undefined;
}

interface AnswerOptions {
  readonly guard: Guard;
  readonly field: string | undefined;
  readonly context: GuardContext;
}

/** A body that may pass, or the decision that refuses it. */
export type Judged = { readonly passed: string } | { readonly refused: Decision };

/** Decides about a complete body. @returns the body that may pass, or the decision that refuses it */
export async function bodyChecked(
  text: string,
  { type, encoding }: AnswerHead,
  options: AnswerOptions,
): Promise<Judged> {
  if (text === '') return { passed: text };
  if (encoding !== '' && !/^identity$/i.test(encoding)) return { refused: UNREADABLE };
  if ((!JSONS.test(type) && !TEXTS.test(type) && type !== '') || !claimsUtf8(type)) return { refused: UNREADABLE };
  try {
    if (JSONS.test(type) || isEncoded(text)) return await jsonChecked(text, options);
    const decision = await options.guard.output(text, options.context);
    if (decision.action === 'block') return { refused: decision };
    return { passed: decision.action === 'mask' ? (decision.text ?? '') : text };
  } catch {
    return { refused: UNREADABLE };
  }
}

/**
 * Decides about JSON as a whole. Only the configured field may be masked; the masked body is then decided about again.
 */
async function jsonChecked(text: string, { guard, field, context }: AnswerOptions): Promise<Judged> {
  const body = decoded(text);
  const about = await guard.output(asReadable(body), context);
  if (about.action === 'allow') return { passed: text };
  if (field === undefined) return { refused: about };
  const found = fieldOf(body, field);
  if (typeof found !== 'string') return { refused: about };
  const decision = await guard.output(found, context);
  if (decision.action !== 'mask') return { refused: about };
  const masked = withValue(without(body, REPEATS, MAX_DEPTH), field.split('.'), decision.text ?? '');
  const rest = await guard.output(asReadable(masked), context);
  return rest.action === 'allow' ? { passed: writtenAs(text, body, masked) } : { refused: rest };
}

/** Reports whether an answer is read event by event. */
export function hasEvents({ type, encoding }: AnswerHead): boolean {
  return EVENTS.test(type) && (encoding === '' || encoding === 'identity');
}

/** Reads a body as text. @returns undefined if it is too long @throws TypeError if it is not UTF-8 */
export async function bodyText(chunks: Chunks): Promise<string | undefined> {
  let text = '';
  for await (const piece of chunkTexts(chunks)) {
    text += piece;
    if (text.length > MAX_BYTES) return undefined;
  }
  return text;
}

/** Yields the text of each chunk. @throws TypeError if it is not UTF-8 */
export async function* chunkTexts(chunks: Chunks): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of chunks)
    yield typeof chunk === 'string' ? chunk : decoder.decode(chunk as Uint8Array, { stream: true });
  yield decoder.decode();
}

/** Reads an answer's headers. @param headerOf returns a header by name */
export function answerHead(headerOf: (name: string) => unknown): AnswerHead {
  const textOf = (name: string) => String(headerOf(name) ?? '');
  return { type: textOf('content-type'), encoding: textOf('content-encoding') };
}

/** Matches a string that consists only of an integer's digits. */
const DIGITS = /(?<!\\)"(-?[1-9]\d{15,})"(?!:)/g;

/**
 * Serialises a value; returns the original text if nothing changed. An integer too large for a number was read as a
 * string of its digits, and is written as an integer again.
 */
export function writtenAs(original: string, before: unknown, after: unknown): string {
  const json = JSON.stringify(after);
  if (json === JSON.stringify(before)) return original;
  const isNumber = (text: string, digits: string) => original.includes(digits) && !original.includes(text);
  return json.replace(DIGITS, (text, digits: string) => (isNumber(text, digits) ? digits : text));
}
