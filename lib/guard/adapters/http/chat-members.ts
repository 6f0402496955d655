/** Members of chat completions: which of them are texts, calls or ids, and how their reader joins their pieces. */
import { isObject, type JsonObject, objectOf } from '../../../core/json.ts';
import { contentText } from '../../readable.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { isSign, withoutPieces, withoutSigns } from '../values.ts';
import { MAX_BYTES } from './answer.ts';

/** Members that some models repeat in each piece. */
const REPEATED = ['id', 'type', 'name'];

/**
 * Adds a piece.
 * @param names of the members it stands in, from the outside in
 * @throws Error for a piece of another form, which would replace what its reader may have joined
 */
export function gathered(earlier: unknown, piece: unknown, names: readonly string[] = []): unknown {
  if (earlier === undefined || earlier === null || earlier === '') return piece;
  if (piece === null || piece === '') return earlier;
  if (isObject(earlier) && isObject(piece)) {
    const all = new Map(Object.entries(earlier));
    for (const [name, value] of Object.entries(piece)) all.set(name, gathered(all.get(name), value, [...names, name]));
    return Object.fromEntries(all);
  }
  if (typeof earlier === 'string' && typeof piece === 'string') return textWith(earlier, piece, names);
  if (Array.isArray(earlier)) {
    if (typeof piece === 'string') return partsWith(earlier, piece);
    if (Array.isArray(piece)) return [...(earlier as unknown[]), ...(piece as unknown[])];
  }
  if (typeof earlier !== 'object' && typeof piece !== 'object') return piece;
  throw new Error('The pieces of an answer do not fit together.');
}

function textWith(earlier: string, piece: string, names: readonly string[]): string {
  const [owner, name = ''] = names.slice(-2);
  if (REPEATED.includes(name) && earlier === piece) return earlier;
  // Pieces of bytes that are encoded one by one are no text together.
  if (owner === 'audio' && name === 'data' && earlier.endsWith('='))
    return Buffer.concat([earlier, piece].map((each) => Buffer.from(each, 'base64'))).toString('base64');
  return earlier + piece;
}

/** Adds a text to parts, such as an answer that follows the parts of its reasoning. */
function partsWith(parts: readonly unknown[], piece: string): readonly unknown[] {
  const last = objectOf(parts.at(-1));
  const { type, text } = last;
  if (type !== 'text' || typeof text !== 'string') return [...parts, { type: 'text', text: piece }];
  return [...parts.slice(0, -1), { ...last, text: text + piece }];
}

export interface Judging {
  readonly guard: Guard;
  readonly context: GuardContext;
}

/** An identifier or a name, which says nothing. */
export const NAME = /^[\w.:/-]{1,128}$/;
/** The finish reason of an answer that is blocked. */
export const FILTERED = 'content_filter';
/** Members of an answer, or of a chunk, with an identifier or a closed word. */
export const IDS = ['id', 'object', 'model', 'service_tier', 'system_fingerprint'];
const CONTENT = 'content';

type Kind = 'silent' | 'texts' | 'calls' | 'rest';
type Sorted = Readonly<Record<Kind, JsonObject>>;

/** Sorts members; leaves out what repeats the answer. */
export function sorted(owner: JsonObject): Sorted {
  const members = Object.entries(withoutPieces(owner));
  const of = (kind: Kind) => Object.fromEntries(members.filter(([name, value]) => kindOf(name, value) === kind));
  return { silent: of('silent'), texts: of('texts'), calls: of('calls'), rest: of('rest') };
}

function kindOf(name: string, value: unknown): Kind {
  const isCalls = name === 'tool_calls' && Array.isArray(value) && value.length > 0 && value.every(isObject);
  if (isCalls || (name === 'function_call' && isObject(value))) return 'calls';
  const isId = IDS.includes(name) && typeof value === 'string' && NAME.test(value);
  if (isId || withoutSigns({ [name]: value }, isSign) === undefined) return 'silent';
  return textIn(value) === undefined ? 'rest' : 'texts';
}

/** Returns the texts that their reader joins: a text, or those of parts with nothing but a text; undefined for all else. */
export function textIn(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return undefined;
  const texts = value.map((part: unknown) => {
    const { type, text, ...more } = objectOf(part);
    return type === 'text' && typeof text === 'string' && Object.keys(more).length === 0 ? text : undefined;
  });
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** Returns a text in the form of another: a text, or parts. */
export function inFormOf(form: unknown, text: string): unknown {
  return Array.isArray(form) ? [{ type: 'text', text }] : text;
}

/** Members that are neither texts nor calls: held until the end, and scanned together as their reader joins them. */
export class Rest {
  readonly #judging: Judging;
  #all: JsonObject = {};
  #length = 0;

  constructor(judging: Judging) {
    this.#judging = judging;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#all, name);
  }

  /** @throws Error if the members are too long to be held */
  add(members: JsonObject): void {
    if (Object.keys(members).length === 0) return;
    this.#length += JSON.stringify(members).length;
    if (this.#length > MAX_BYTES) throw new Error('The answer is too long to be held.');
    this.#all = objectOf(gathered(this.#all, members));
  }

  /** Adds members that some models repeat in each chunk. */
  addOnce({ texts, calls, rest }: Sorted): void {
    const isNew = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(this.#all[name]);
    this.add(Object.fromEntries(Object.entries({ ...texts, ...calls, ...rest }).filter(isNew)));
  }

  /**
   * Decides about them. What is refused, or may repeat a text that was masked, is left out: an answer is complete without it,
   * unless it is the content itself.
   * @param said returns the text of a member that has passed
   */
  async end(
    isMasked: boolean,
    said: (name: string) => string = () => '',
  ): Promise<{ readonly passed: JsonObject; readonly refused?: Decision }> {
    const members = Object.entries(this.#all);
    if (members.length === 0) return { passed: {} };
    const { guard, context } = this.#judging;
    const texts = members.map(([name, value]) => `${name}: ${said(name)}${restText(name, value)}`);
    const decision = await guard.output([...texts, ...piecesIn(this.#all)].join('\n'), context);
    if (decision.action === 'allow') return { passed: isMasked ? {} : this.#all };
    return this.has(CONTENT) ? { passed: {}, refused: decision } : { passed: {} };
  }
}

/** Reads a member that is neither a text nor a call, such as an audio with its transcript. */
function restText(name: string, value: unknown): string {
  return contentText(name === 'audio' && isObject(value) ? [{ ...value, type: 'audio' }] : value);
}

/** Returns the texts that stand in the same member of several elements of a list, joined: they may be pieces of one text. */
function piecesIn(all: JsonObject): readonly string[] {
  const found = new Map<string, string[]>();
  const add = (value: unknown, path: string): void => {
    const known = found.get(path);
    if (typeof value !== 'string')
      for (const [name, each] of Object.entries(Object(value) as object)) add(each, pathOf(value, path, name));
    else if (known === undefined) found.set(path, [value]);
    else known.push(value);
  };
  const pathOf = (owner: unknown, path: string, name: string) => (Array.isArray(owner) ? path : `${path}.${name}`);
  add(all, '');
  return [...found.values()].filter((texts) => texts.length > 1).map((texts) => texts.join(''));
}

/** Returns the reason of an end as it may pass; undefined before the end. Some models have an empty one in each chunk. */
export function reasonIn(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '' || value === 'null') return undefined;
  return typeof value === 'string' && NAME.test(value) ? value : 'stop';
}

/** Returns an error of a model without anything that it may have written: its message is scanned, codes are names. */
export async function readableError(body: unknown, { guard, context }: Judging): Promise<object> {
  const { error: given, message: told, detail } = objectOf(body);
  const error = objectOf(given);
  const texts = [error['message'], given, told, detail];
  const said = texts.find((each): each is string => typeof each === 'string') ?? 'The model has no answer.';
  const decision: Decision = await guard.output(said, context);
  const message = decision.action === 'allow' ? said : (decision.text ?? guard.message(decision));
  const named = (name: string) => (NAME.test(String(error[name] ?? '')) ? error[name] : null);
  return { message, type: named('type'), param: named('param'), code: named('code') };
}
