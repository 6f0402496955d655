/** Separates file bytes from text. The service scans no files, but models read text files as text. */
import { decodedUtf8 } from '../../node/http/request-form.ts';
import { blamed, Unscanned } from '../decisions.ts';

/** Types of parts that hold a file. */
const FILES: ReadonlySet<unknown> = new Set([
  ...['image', 'image_url', 'input_image', 'file', 'input_file', 'reasoning-file', 'document', 'media', 'blob'],
  ...['audio', 'input_audio', 'video', 'computer_screenshot', 'image-data', 'file-data', 'image-url', 'file-url'],
]);
/** Members of a file part that hold its bytes or its URL. */
const DATA: ReadonlySet<string> = new Set([
  ...['data', 'image', 'file', 'url', 'image_url', 'imageUrl', 'file_data', 'fileData', 'blob', 'base64', 'bytes'],
  ...['input_audio', 'audio', 'video', 'document'],
]);
const MEDIA_TYPES: readonly string[] = ['mediaType', 'media_type', 'mimeType', 'mime_type'];
const MEDIA_TYPE =
  /^(?:application|audio|font|image|model|multipart|text|video)\/[\w.+*-]{1,80}(?:;\s*[\w-]+=[\w-]+)*$/iu;
const TEXT_TYPE = /text\/|[/+.-](?:json|jsonl|ndjson|xml|yaml|csv|markdown|javascript|typescript|sql|toml|graphql)\b/iu;
const BASE64 = /^(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2,3}={0,2})?$/;
const DATA_ADDRESS = /^\s*data:([^,]*?)(;\s*base64)?\s*,/iu;
/** Runs of letters and digits as in words and numbers; encoded bytes rarely have them. */
const WORDS = /[a-z]{4,}|[B-Z]{4,}|\d{4,}/g;
/** The share of plain characters above which bytes count as nearly text, for example in an old encoding. */
const MOSTLY = 0.8;
/**
 * Legacy encodings with their plain characters; UTF-32 is UTF-16 with zeros. Random bytes have few plain characters.
 */
const ENCODINGS: readonly (readonly [string, RegExp])[] = [
  ['latin1', /[\t-\r -~]/g],
  ['utf-16le', /[\t-\r -~\u00a0-\u06ff]/g],
  ['utf-16be', /[\t-\r -~\u00a0-\u06ff]/g],
];

/** Minimum number of bytes: fewer bytes rarely hold a word, and are often numbers. */
const SHORTEST = 4;

export type Part = Readonly<Record<string, unknown>>;

/** Reports whether a content part holds a file. */
export function isFilePart(part: Part): boolean {
  return FILES.has(part['type']) || typeof part['blob'] === 'string' || mediaTypeOf(part) !== undefined;
}

function mediaTypeOf(part: Part): string | undefined {
  return MEDIA_TYPES.map((name) => part[name]).find((each) => typeof each === 'string');
}

/** Reports whether a member holds a file, or the part that holds it. */
export function isFileMember(name: string): boolean {
  return DATA.has(name) || name === 'source';
}

/** Reports whether a member of a file part only describes the file, without text. */
export function isFileSign(name: string, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  if (name === 'type') return FILES.has(value) || value === 'base64';
  if (name === 'detail') return ['low', 'high', 'auto'].includes(value);
  if (name === 'format') return /^[a-z\d]{1,5}$/.test(value);
  return MEDIA_TYPES.includes(name) && MEDIA_TYPE.test(value);
}

/**
 * Reads a member of a part that holds bytes.
 * @param name its key, or the key of the member around it
 * @returns the text of a text file; empty for other bytes; undefined if it holds no bytes
 * @throws Unscanned `unreadable` for a text file that is not UTF-8
 */
export function filePartText(part: Part, name: string, value: unknown): string | undefined {
  const type = mediaTypeOf(part);
  if (value instanceof ArrayBuffer) return textIn(new Uint8Array(value), type);
  if (ArrayBuffer.isView(value)) return textIn(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), type);
  if (typeof value !== 'string' || !DATA.has(name)) return undefined;
  const [head, ownType, isEncoded] = DATA_ADDRESS.exec(value) ?? [];
  const data = head === undefined ? value : value.slice(head.length);
  if (head !== undefined && isEncoded === undefined) return percentDecoded(data);
  const encoded = head === undefined ? data : percentDecoded(data);
  const bytes = bytesOf(encoded);
  if (bytes === undefined) return undefined;
  const text = textIn(bytes, head === undefined ? type : ownType);
  // Words without their spaces may look like base64.
  return isBase64(encoded) ? text : `${encoded}\n${text}`;
}

/**
 * Decodes base64 as its readers do: some skip characters outside the alphabet.
 * @returns undefined if it may be words
 */
function bytesOf(data: string): Uint8Array | undefined {
  const plain = data.replace(/[^\w+/=-]/g, '');
  if (plain === '' || !BASE64.test(plain)) return undefined;
  const binary = atob(plain.replaceAll('-', '+').replaceAll('_', '/').replaceAll('=', ''));
  const bytes = Uint8Array.from(binary, (unit) => unit.charCodeAt(0));
  if (utf8(bytes) !== undefined) return bytes;
  const words = plain.match(WORDS)?.join('').length ?? 0;
  return isBase64(data) && words * 5 <= plain.length * 2 ? bytes : undefined;
}

function isBase64(data: string): boolean {
  return BASE64.test(data.replace(/[\r\n]/g, ''));
}

/** Returns the text of a JSON list of numbers that are the bytes of a text. */
export function textOfNumbers(list: readonly unknown[]): string {
  if (list.length < SHORTEST || !list.every((each) => typeof each === 'number')) return '';
  const bytes = Uint8Array.from(list);
  // Other numbers would change if converted to bytes.
  return bytes.every((byte, at) => byte === list[at]) ? textIn(bytes) : '';
}

/**
 * Returns the text of bytes that are text, whatever their declared type; if they are nearly text, the readable part.
 */
function textIn(bytes: Uint8Array, type = ''): string {
  const text = utf8(bytes);
  if (text === undefined && TEXT_TYPE.test(type)) throw new Unscanned('unreadable');
  return text ?? nearlyText(bytes);
}

function nearlyText(bytes: Uint8Array): string {
  const forms = ENCODINGS.map(([name, plain]): readonly [string, RegExp] => [
    new TextDecoder(name).decode(bytes).replaceAll('\u0000', ''),
    plain,
  ]);
  return forms.find(([text, plain]) => (text.match(plain)?.length ?? 0) > text.length * MOSTLY)?.[0] ?? '';
}

function utf8(bytes: Uint8Array): string | undefined {
  const text = decodedUtf8(bytes);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text has no zeros and no other device controls
  return text === undefined || /[\u0000-\u0008\u000e-\u001a]/.test(text) ? undefined : text;
}

function percentDecoded(data: string): string {
  return blamed('unreadable', () => decodeURIComponent(data));
}
