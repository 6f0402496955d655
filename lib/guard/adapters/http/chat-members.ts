/** Sorts members of chat completions into texts, calls and ids, and joins their pieces as their reader does. */
import { isObject, type JsonObject, objectOf } from '../../../core/json.ts';
import { contentText } from '../../readable.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { isSign, withoutPieces, withoutSigns } from '../values.ts';
import { MAX_BYTES } from './answer.ts';

/** Members that some models repeat in each piece. */
const REPEATED = ['id', 'type', 'name'];

/**
 * Adds a piece.
 * @param names the names of the members around it, outermost first
 * @throws Error for a piece of another type, which would replace the text that its reader has joined
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
  // Byte pieces that were encoded separately cannot be joined to a text.
  if (owner === 'audio' && name === 'data' && earlier.endsWith('='))
    return Buffer.concat([earlier, piece].map((each) => Buffer.from(each, 'base64'))).toString('base64');
  return earlier + piece;
}

/** Appends a text to parts, such as an answer after the parts of its reasoning. */
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

/** An id or a name, which carries no content. */
export const NAME = /^[\w.:/-]{1,128}$/;
/** The finish reason of a blocked answer. */
export const FILTERED = 'content_filter';
/** Members of an answer or a chunk that hold an id or a fixed keyword. */
export const IDS = ['id', 'object', 'model', 'service_tier', 'system_fingerprint'];
const CONTENT = 'content';

type Kind = 'silent' | 'texts' | 'calls' | 'rest';
type Sorted = Readonly<Record<Kind, JsonObject>>;

/** Sorts members; drops members that repeat the answer. */
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

/** Returns the texts that their reader joins: a text, or the texts of text-only parts; undefined for anything else. */
export function textIn(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return undefined;
  const texts = value.map((part: unknown) => {
    const { type, text, ...more } = objectOf(part);
    return type === 'text' && typeof text === 'string' && Object.keys(more).length === 0 ? text : undefined;
  });
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** Returns a text in the same form as another text: as a string, or as parts. */
export function inFormOf(form: unknown, text: string): unknown {
  return Array.isArray(form) ? [{ type: 'text', text }] : text;
}

/** Members other than texts and calls: held until the end, then scanned together as their reader joins them. */
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

  /** @throws Error if the members are too long to hold */
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
   * Decides about the members. Drops refused members and members that may repeat a masked text: an answer is complete
   * without them, unless the member is the content itself.
   * @param said returns the text of a member that already passed
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

/** Reads a member that is neither a text nor a call, such as audio with its transcript. */
function restText(name: string, value: unknown): string {
  return contentText(name === 'audio' && isObject(value) ? [{ ...value, type: 'audio' }] : value);
}

/** Returns the texts of the same member in several list elements, joined: they may be pieces of one text. */
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

/** Returns the finish reason to pass on; undefined before the end. Some models send an empty reason in each chunk. */
export function reasonIn(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '' || value === 'null') return undefined;
  return typeof value === 'string' && NAME.test(value) ? value : 'stop';
}

/** Returns a model's error without unscanned text: its message is scanned, its codes are names. */
export async function readableError(body: unknown, { guard, context }: Judging): Promise<object> {
  const { error: given, message: told, detail } = objectOf(body);
  const error = objectOf(given);
  const texts = [error['message'], given, told, detail];
  const said = texts.find((each): each is string => typeof each === 'string') ?? 'The model returned no answer.';
  const decision: Decision = await guard.output(said, context);
  const message = decision.action === 'allow' ? said : (decision.text ?? guard.message(decision));
  const named = (name: string) => (NAME.test(String(error[name] ?? '')) ? error[name] : null);
  return { message, type: named('type'), param: named('param'), code: named('code') };
}
