/** Answers lines that are not a message: the protocol's library ignores them, and their client would wait forever. */
import { INVALID_REQUEST, PARSE_ERROR, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { isJson, isObject } from '../../../core/json.ts';
import { parseJsonText, RECEIVED, TWICE } from '../../../core/json-text.ts';
import { utf8Text } from '../../../node/request-form.ts';
import { MAX_MESSAGE_BYTES } from './bounded-lines.ts';
import { IdScan } from './request-id.ts';

/** Returns the answer to a line that is not a message; undefined for messages, blank lines and broken notifications. */
export function refusalOf(line: Uint8Array): object | undefined {
  const read = readMessage(line);
  if ('refusal' in read) return isBlank(line) ? undefined : read.refusal;
  try {
    parseJSONRPCMessage(read.value);
    return undefined;
  } catch {
    const { id, method } = isObject(read.value) ? read.value : {};
    if (typeof method === 'string' && id === undefined) return undefined;
    const isOwn = typeof method === 'string' && (typeof id === 'string' || Number.isSafeInteger(id));
    return refusal(isOwn ? (id as string | number) : null, INVALID_REQUEST, 'The message is not a valid request.');
  }
}

/** Reads a message, unless readers may understand it differently, or it takes long to read. */
export function readMessage(bytes: Uint8Array): { readonly value: unknown } | { readonly refusal: object } {
  const text = utf8Text(bytes);
  if (text === undefined) return { refusal: refusal(null, PARSE_ERROR, 'The message is not UTF-8.') };
  const parsed = parseJsonText(text, { ...RECEIVED, length: Number.POSITIVE_INFINITY });
  if (!('error' in parsed)) return parsed;
  if (!isJson(text)) return { refusal: refusal(null, PARSE_ERROR, 'The message is not JSON on one line.') };
  // The value may be too deep to be parsed.
  const scan = new IdScan();
  scan.read(Buffer.from(text));
  const why = parsed.error.message === TWICE ? 'has a member twice' : `cannot be read: ${parsed.error.message}`;
  return { refusal: refusal(scan.id(), INVALID_REQUEST, `The message ${why}.`) };
}

function isBlank(line: Uint8Array): boolean {
  return utf8Text(line)?.trim() === '';
}

/** Returns the answer to a message that is too long. */
export function tooLong(id: string | number | null): object {
  const limit = `${MAX_MESSAGE_BYTES / 1_000_000} MB`;
  const hint = "Put large content into a file of the server's directory, and name the file.";
  return refusal(id, INVALID_REQUEST, `The message is longer than ${limit}. ${hint}`);
}

function refusal(id: string | number | null, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
