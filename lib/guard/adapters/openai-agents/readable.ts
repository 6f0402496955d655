/**
 * Finds the text in items of the framework's protocol, wherever it stands: an unknown form is read as JSON. Names, files
 * and what is sealed are no text, but only where the protocol has them: a tool may put its own text under the same members.
 */
import type { Item } from './types.ts';

/** Members of the protocol that hold names; any other value in them is still read. */
const NAME_MEMBERS = new Set([
  ...['type', 'id', 'role', 'status', 'phase', 'execution', 'object', 'detail', 'name', 'mode', 'format', 'namespace'],
  ...['callId', 'call_id', 'callerId', 'caller_id', 'itemId', 'item_id', 'model', 'finish_reason'],
]);
const NAME = /^[\w.:/-]{0,128}$/;
/** Members of the protocol that only the provider can read. */
const SEALED = new Set(['encrypted_content', 'fingerprint']);
/** Repeats the text of the answer, token by token. */
const REPEATED = 'logprobs';
/** Members of the protocol whose values are of the protocol too. */
const OWN = new Set(['content', 'rawContent', 'providerData', 'caller']);
/** The member of a part that holds its file; the service scans no files. */
const FILES: ReadonlyMap<unknown, string> = new Map([
  ...['image', 'input_image'].map((type) => [type, 'image'] as const),
  ...['file', 'input_file'].map((type) => [type, 'file'] as const),
  ['audio', 'audio'],
  ['computer_screenshot', 'data'],
]);
const FILE = /^(?:data:[^,\s]*;base64,)?[\w+/=-]{64,}$/;
const PARTS = new Set<unknown>(['text', 'input_text', 'output_text', 'reasoning_text', ...FILES.keys()]);
/** Members that are the text of a part, if nothing is beside them. */
const TEXTS = new Set(['text', 'content', 'output', 'refusal', 'transcript', 'providerData', 'arguments']);

/** Where a value stands. */
export interface Place {
  /** The member is one of the protocol. */
  readonly isNamed: boolean;
  /** What is in the value is of the protocol too. */
  readonly isOwn: boolean;
  /** The protocol has a file here. */
  readonly isFile: boolean;
}

/** An item of the protocol. */
export const ITEM: Place = { isNamed: false, isOwn: true, isFile: false };
/** A value of a tool, of any form. */
export const FOREIGN: Place = { isNamed: false, isOwn: false, isFile: false };

/** Returns the place of a member. */
export function placeOf(owner: Item, member: string, place: Place): Place {
  const isFile = FILES.get(owner['type']) === member || (place.isFile && member === 'data');
  return { isNamed: place.isOwn, isOwn: place.isOwn && OWN.has(member), isFile };
}

/** Tells text from names, files and what is sealed. */
export function isText(member: string, value: string, { isNamed, isFile }: Place): boolean {
  if (value === '' || (isFile && FILE.test(value)) || (member === 'type' && PARTS.has(value))) return false;
  if (!isNamed) return true;
  return !SEALED.has(member) && !(NAME_MEMBERS.has(member) && NAME.test(value));
}

/**
 * Returns the text of a value: of a part its text alone, of several parts their texts, of anything else JSON without names
 * and files. Empty if there is no text.
 * @throws TypeError or RangeError for a value without JSON, such as a circle
 */
export function readableText(value: unknown, place: Place = ITEM): string {
  return textOf(readable('', value, place));
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value !== 'object') return String(value);
  const [[member, only] = ['', undefined], ...others] = Object.entries(value as object);
  return others.length === 0 && TEXTS.has(member) ? textOf(only) : JSON.stringify(value);
}

/** Copies what can be read; undefined if nothing can. */
function readable(member: string, value: unknown, place: Place): unknown {
  if (value === null || value === undefined || ArrayBuffer.isView(value)) return undefined;
  if (typeof value === 'string') return isText(member, value, place) ? value : undefined;
  if (typeof value !== 'object') return value;
  if (place.isNamed && member === REPEATED) return undefined;
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return readable(member, toJSON.call(value, member), place);
  if (Array.isArray(value)) {
    const items = value.map((each) => readable(member, each, place)).filter((each) => each !== undefined);
    return items.length === 0 ? undefined : items;
  }
  return readableMembers(value as Item, place);
}

function readableMembers(value: Item, place: Place): unknown {
  const members = Object.entries(value).flatMap(([name, each]) => {
    const kept = readable(name, each, placeOf(value, name, place));
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
