/**
 * Turns a value into the text to scan; there is no other way. The text holds everything that a reader can read, line by
 * line and unescaped.
 */
import { isObject, MAX_DEPTH } from '../core/json.ts';
import { Unscanned } from './decisions.ts';
import { filePartText, isFileMember, isFilePart, isFileSign, type Part, textOfNumbers } from './readable/file.ts';
import { withEscapesRead } from './readable/json.ts';

export { decoded, decodedIf } from './readable/json.ts';

/** Types of parts whose text readers join. */
const TEXTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text', 'summary_text', 'reasoning_text']);
/** Protocol keywords and ids, which are not content. Any other value in their place is read. */
const TYPES: ReadonlySet<unknown> = new Set([
  ...TEXTS,
  ...['tool-result', 'tool_result', 'tool-call', 'tool_use', 'function', 'function_call', 'function_call_output'],
  ...['json', 'content', 'error-text', 'error-json', 'reasoning', 'thinking', 'refusal', 'resource', 'resource_link'],
]);
const IDS: ReadonlySet<string> = new Set([
  ...['id', 'tool_use_id', 'toolUseId', 'tool_call_id', 'toolCallId', 'call_id', 'callId'],
]);
const ID = /^[\w.:-]{1,64}$/;
/** Matches ids that may be content: several words joined by hyphens, or only digits, as in a card number. */
const CONTENT =
  /(?:[a-z]{2,}[-_.:]){3}|[a-z]{3,}[-_.:][a-z]{3,}|(?:[A-Z]?[a-z]{2,}[A-Z]){2}|^[\d.:_-]{7,}$|^[A-Za-z]+$/u;
const INSIDE_A_WORD = { start: /^[\p{L}\p{N}]/u, end: /[\p{L}\p{N}]$/u };

/**
 * Joins texts as a reader does, without a separator. If two texts meet inside a word, appends all texts again on separate
 * lines, because a reader may also see them separately.
 */
export function joined(texts: readonly string[]): string {
  const all = texts.filter((text) => text !== '');
  const isInWord = (text: string, at: number) =>
    INSIDE_A_WORD.start.test(text) && INSIDE_A_WORD.end.test(all[at - 1] ?? '');
  return all.some(isInWord) ? lines([all.join(''), ...all]) : all.join('');
}

/** Joins texts as lines; drops empty texts. */
export function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/**
 * Reads a value.
 * @param hasFiles whether files are part of the protocol, so that their bytes are not text
 * @throws Unscanned `unreadable` for values without text that every reader sees, such as a `Map` or a circular value
 */
export function read(value: unknown, hasFiles: boolean, path: readonly unknown[] = []): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return path.length === 0 ? value : withEscapesRead(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof URL) return value.href;
  if (value instanceof Date) return read(value.toJSON(), hasFiles, path);
  if (typeof value !== 'object' || path.includes(value) || path.length > MAX_DEPTH) throw new Unscanned('unreadable');
  if (typeof (value as Part)['toJSON'] === 'function') throw new Unscanned('unreadable');
  const inside = [...path, value];
  if (Array.isArray(value)) return readList(value, hasFiles, inside);
  if (!isPlain(value)) throw new Unscanned('unreadable');
  return readMembers(value as Part, hasFiles, inside);
}

/** Reads a list: the texts of its parts together, as its reader joins them, and anything else on separate lines. */
function readList(list: readonly unknown[], hasFiles: boolean, path: readonly unknown[]): string {
  const texts = list.map((each) => partText(each, hasFiles));
  const others = list.map((each, at) => {
    if (texts[at] === undefined) return read(each, hasFiles, path);
    return typeof each === 'string' ? '' : readMembers({ ...(each as Part), text: undefined }, hasFiles, path);
  });
  return lines([withEscapesRead(joined(texts.map((text) => text ?? ''))), ...others, textOfNumbers(list)]);
}

/** Returns a part's text; inside a message's content, readers join parts of any type. */
function partText(part: unknown, hasFiles: boolean): string | undefined {
  if (typeof part === 'string') return hasFiles ? part : undefined;
  if (!isObject(part) || !isPlain(part)) return undefined;
  const { type, text } = part;
  return typeof text === 'string' && (hasFiles || TEXTS.has(type)) ? text : undefined;
}

/** Reads an object: its keys and its values. */
function readMembers(owner: Part, hasFiles: boolean, path: readonly unknown[]): string {
  const isFile = hasFiles && isFilePart(owner);
  const members = Object.entries(owner).map(([name, value]) => {
    if (value === undefined || (isFile && isFileSign(name, value)) || isSign(name, value)) return '';
    // The reader does not see the key of a part's text.
    if (name === 'text' && TEXTS.has(owner['type']) && typeof value === 'string') return withEscapesRead(value);
    const data = isFile ? filePartText(owner, name, value) : undefined;
    if (data !== undefined) return data;
    // If a part keeps its bytes in a nested member, its type is outside or inside that member.
    const isInner = isFile && isObject(value) && isPlain(value);
    const said = read(isInner ? { type: owner['type'], ...value } : value, hasFiles, path);
    if (said !== '') return `${name}: ${said}`;
    return isFile && isFileMember(name) ? '' : name;
  });
  // JSON turns a byte array into an object.
  return lines(Object.hasOwn(owner, '0') ? [...members, textOfNumbers(Object.values(owner))] : members);
}

function isSign(name: string, value: unknown): boolean {
  if (name === 'type') return TYPES.has(value);
  return IDS.has(name) && typeof value === 'string' && ID.test(value) && !CONTENT.test(value);
}

/** Reports whether an object is plain: a class may hide its content. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === null ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'hasOwnProperty'))
  );
}

/** A role, or the type that some messages have instead, is a single word. */
const ROLE = /^[a-z]{1,20}$/iu;
/** Members that hold a message's content. Some APIs send the same content in two members. */
const CONTENTS = ['content', 'parts', 'content_blocks'];

/** Reads the content of a message: a text, or parts. Skips file bytes; reads text files. */
export function contentText(content: unknown): string {
  return read(content, true);
}

/** Reads all of a message. @throws Unscanned `unreadable` if this version finds nothing readable */
export function messageText(message: unknown): string {
  if (typeof message !== 'object' || message === null || !isPlain(message)) throw new Unscanned('unreadable');
  const members = Object.entries(message).filter(([name, value]) => hasValue(value) && !isKind(name, value));
  if (members.every(([name]) => name === 'name')) throw new Unscanned('unreadable');
  const contents = CONTENTS.map((name) => contentText((message as Part)[name]));
  const others = members.filter(([name]) => !CONTENTS.includes(name));
  return lines([...new Set(contents), contentText(Object.fromEntries(others))]);
}

function hasValue(value: unknown): boolean {
  // Other programs write values that they cannot serialise as empty objects.
  const isEmpty = isObject(value) && isPlain(value) && Object.keys(value).length === 0;
  return value !== undefined && value !== null && !isEmpty;
}

function isKind(name: string, value: unknown): boolean {
  return (name === 'role' || name === 'type') && typeof value === 'string' && ROLE.test(value);
}

/**
 * Reads all of a value: a text unchanged, parts joined, and anything else as lines of keys and values.
 * @throws Unscanned `unreadable` for values without text that every reader sees: a `Map`, an error, a class instance, a
 * circular value, a function
 */
export function asReadable(value: unknown): string {
  return read(value, false);
}
