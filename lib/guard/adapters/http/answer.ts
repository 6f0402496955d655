/** Holds an answer of HTTP back until it was scanned: JSON and texts until their end, events as their text is cleared. */
import { isObject, type JsonObject } from '../../../core/json.ts';
import { jsonOrText, textOf } from '../../new-content.ts';
import type { Decision, Guard, GuardContext, HeldStream, Message } from '../../types.ts';

/** Where a text is: members joined by dots, such as `choices.0.delta.content`, or a function. */
export type Field = string | ((body: unknown) => unknown);

/** The head of an answer, as far as its body is read by it. */
export interface AnswerHead {
  readonly type: string;
  readonly encoding: string;
}

/** An answer is held up to this size, in bytes. */
export const MAX_BYTES = 8 * 1024 * 1024;
const EVENTS = /^text\/event-stream\b/i;
const JSONS = /^application\/(?:[\w.+-]+\+)?json\b/i;
const TEXTS = /^text\//i;
/** The end of an event. */
const BLANK = /\r\n\r\n|\n\n|\r\r|\r\n\n|\n\r\n/;
export const UNREADABLE: Decision = { kind: 'output', action: 'block', unscanned: 'usage', ms: 0, cached: false };

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

/** Returns a prompt of a known form: a text, or messages. */
export function promptIn(value: unknown): string | readonly Message[] | undefined {
  if (typeof value === 'string') return value;
  const isList = Array.isArray(value) && value.every((each) => isObject(each) && typeof each['role'] === 'string');
  return isList ? (value as readonly Message[]) : undefined;
}

export interface AnswerOptions {
  readonly guard: Guard;
  readonly field: Field | undefined;
  readonly context: GuardContext;
}

/** Decides about a complete body. @returns the body that may pass, or the decision that refuses it */
export async function bodyChecked(text: string, { type, encoding }: AnswerHead, options: AnswerOptions) {
  const { guard, field, context } = options;
  const isJson = JSONS.test(type);
  if (encoding !== '' && !/^identity$/i.test(encoding)) return { refused: UNREADABLE };
  if (!isJson && !TEXTS.test(type) && type !== '') return { refused: UNREADABLE };
  try {
    const body: unknown = isJson ? JSON.parse(text) : text;
    const found = isJson && field !== undefined ? fieldOf(body, field) : undefined;
    const said = typeof found === 'string' ? found : jsonOrText(found ?? body);
    const decision = await guard.output(said, context);
    if (decision.action === 'allow') return { passed: text };
    const isPath = typeof found === 'string' && typeof field === 'string';
    if (decision.action !== 'mask' || (isJson && !isPath)) return { refused: decision };
    const masked = decision.text ?? '';
    return { passed: isPath ? JSON.stringify(withValue(body, field.split('.'), masked)) : masked };
  } catch {
    return { refused: UNREADABLE };
  }
}

/** Events of one answer: an event passes byte for byte once all its text was cleared, and after a block nothing passes. */
export class HeldEvents {
  readonly #options: AnswerOptions;
  readonly #held: HeldStream;
  /** Events that wait, and where their text ends in the stream. */
  #waiting: { readonly event: string; readonly end: number }[] = [];
  #rest = '';
  #length = 0;
  #released = 0;
  #decision: Decision | undefined;

  constructor(options: AnswerOptions) {
    this.#options = options;
    this.#held = options.guard.stream(options.context);
  }

  get refused(): Decision | undefined {
    return this.#decision;
  }

  /** Adds text of the answer. @returns the events that may pass */
  async push(text: string): Promise<string> {
    this.#rest += text;
    let passed = '';
    for (let end = BLANK.exec(this.#rest); end !== null; end = BLANK.exec(this.#rest)) {
      const length = end.index + end[0].length;
      const event = this.#rest.slice(0, length);
      this.#rest = this.#rest.slice(length);
      passed += await this.#event(event);
      if (this.#decision !== undefined) return passed;
    }
    if (this.#rest.length > MAX_BYTES) this.#decision = UNREADABLE;
    return passed;
  }

  async end(): Promise<string> {
    // Scan an unfinished event like a finished event.
    const last = this.#rest === '' ? '' : await this.#event(this.#rest);
    if (this.#decision !== undefined) return last;
    return last + this.#clear((await this.#held.end()).length);
  }

  cancel(): void {
    this.#held.cancel();
  }

  async #event(event: string): Promise<string> {
    const text = await this.#textOf(event);
    if (this.#decision !== undefined) return '';
    this.#length += text.length;
    this.#waiting.push({ event, end: this.#length });
    return this.#clear(text === '' ? 0 : (await this.#held.push(text)).length);
  }

  /** Returns the text of an event; an event without the field is scanned as a whole. */
  async #textOf(event: string): Promise<string> {
    const { guard, field, context } = this.#options;
    const lines = event.split(/\r\n|\r|\n/).filter((line) => line !== '');
    const data = lines.flatMap((line) => (/^data(?::|$)/.test(line) ? [line.replace(/^data:? ?/, '')] : [])).join('\n');
    const body = parsed(data);
    const odd =
      data === '' ? '' : this.#loose(lines.filter((line) => !/^(?:data(?::|$)|(?:event|id): ?[\w.-]*$)/.test(line)));
    const beside = odd === '' ? undefined : await guard.output(odd, context);
    if (beside !== undefined && beside.action !== 'allow') this.#decision = beside;
    const found = body === undefined || field === undefined ? undefined : fieldOf(body, field);
    if (typeof found === 'string') return found;
    if (body === undefined && data !== '[DONE]') return data === '' ? this.#loose(lines) : data;
    const decision = data === '[DONE]' ? undefined : await guard.output(textOf(found) || data, context);
    if (decision !== undefined && decision.action !== 'allow') this.#decision = decision;
    return '';
  }

  /** Lines without data, such as comments. */
  #loose(lines: readonly string[]): string {
    return lines.filter((line) => !/^:?\s*$|^retry: ?\d+$|^:? ?(?:ping|keep-?alive)$/i.test(line)).join('\n');
  }

  #clear(released: number): string {
    const { blocked, decision } = this.#held;
    // Masked text has no place in events that pass as they are.
    if (decision !== undefined && (blocked || decision.action === 'mask')) this.#decision = decision;
    if (decision?.action === 'mask') return '';
    this.#released += released;
    let passed = '';
    while (this.#waiting[0] !== undefined && this.#waiting[0].end <= this.#released)
      passed += this.#waiting.shift()?.event ?? '';
    return passed;
  }
}

function parsed(data: string): unknown {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true for an answer whose text is read event by event. */
export function hasEvents({ type, encoding }: AnswerHead): boolean {
  return EVENTS.test(type) && (encoding === '' || encoding === 'identity');
}

/** Reads a body as text. @returns undefined if it is too long */
export async function wholeText(chunks: AsyncIterable<unknown>): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MAX_BYTES) return undefined;
  }
  return text + decoder.decode();
}

/** Returns a header as text; an empty one if it has no text. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
