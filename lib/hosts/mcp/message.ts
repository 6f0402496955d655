/** Reads messages, and answers invalid input: the protocol library ignores it, and the client would wait forever. */
import { INVALID_REQUEST, PARSE_ERROR, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { isObject } from '../../core/json.ts';
import { parseJsonText, RECEIVED, TWICE } from '../../core/json-text.ts';
import { decodedUtf8 } from '../../node/http/request-form.ts';

/** Maximum size of a message, in bytes. */
export const MAX_MESSAGE_BYTES = 10_000_000;
/** Maximum length of an id that is a string. */
const MAX_ID = 200;

type Id = string | number | null;

/** Returns the answer to a line that is not a message; undefined for messages, blank lines and broken notifications. */
export function refusalOf(line: Uint8Array): object | undefined {
  const read = readMessage(line);
  if ('refusal' in read) return decodedUtf8(line)?.trim() === '' ? undefined : read.refusal;
  try {
    parseJSONRPCMessage(read.value);
    return undefined;
  } catch {
    const { id, method } = isObject(read.value) ? read.value : {};
    if (typeof method === 'string' && id === undefined) return undefined;
    return refusal(idOf(read.value), INVALID_REQUEST, 'The message is not a valid request.');
  }
}

/** Reads a message, unless readers may disagree on it or it takes long to read. */
export function readMessage(bytes: Uint8Array): { readonly value: unknown } | { readonly refusal: object } {
  const text = decodedUtf8(bytes);
  if (text === undefined) return { refusal: refusal(null, PARSE_ERROR, 'The message is not UTF-8.') };
  const parsed = parseJsonText(text, { ...RECEIVED, length: Number.POSITIVE_INFINITY });
  if (!('error' in parsed)) return parsed;
  const value = looselyParsed(text);
  if (value === undefined) return { refusal: refusal(null, PARSE_ERROR, 'The message is not JSON on one line.') };
  const why = parsed.error.message === TWICE ? 'has a duplicate member' : `cannot be read: ${parsed.error.message}`;
  return { refusal: refusal(idOf(value), INVALID_REQUEST, `The message ${why}.`) };
}

/** Returns the answer to a message that is too long. @param line the part of its bytes that was kept */
export function tooLong(line: Uint8Array): object {
  const limit = `${MAX_MESSAGE_BYTES / 1_000_000} MB`;
  const hint = "Put large content into a file of the server's directory, and name the file.";
  const id = idOf(looselyParsed(decodedUtf8(line) ?? ''));
  return refusal(id, INVALID_REQUEST, `The message is longer than ${limit}. ${hint}`);
}

/**
 * Returns the id of a request; null for anything else. A message without a method is an answer: its id belongs to a
 * server request, and must not be returned as the client's.
 */
function idOf(value: unknown): Id {
  const { id, method } = isObject(value) ? value : {};
  if (typeof method !== 'string') return null;
  return (typeof id === 'string' && id.length <= MAX_ID) || Number.isSafeInteger(id) ? (id as Id) : null;
}

function looselyParsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function refusal(id: Id, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
