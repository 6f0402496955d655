/** Answers lines that are not a message: the protocol's library ignores them, and their client would wait forever. */
import { INVALID_REQUEST, PARSE_ERROR, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { isObject } from '../../../core/json.ts';
import { parseJsonText, RECEIVED, TWICE } from '../../../core/json-text.ts';
import { MAX_MESSAGE_BYTES } from './bounded-lines.ts';
import { IdScan } from './request-id.ts';

/** Returns the answer to a line that is not a message; undefined for messages, blank lines and broken notifications. */
export function refusalOf(line: string): object | undefined {
  if (line.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return refusal(null, PARSE_ERROR, 'The message is not JSON on one line.');
  }
  try {
    parseJSONRPCMessage(value);
    return unclearIn(line);
  } catch {
    const { id, method } = isObject(value) ? value : {};
    if (typeof method === 'string' && id === undefined) return undefined;
    const isOwn = typeof method === 'string' && (typeof id === 'string' || Number.isSafeInteger(id));
    return refusal(isOwn ? (id as string | number) : null, INVALID_REQUEST, 'The message is not a valid request.');
  }
}

/** Returns the answer to a message that readers may understand differently, or that takes long to read. */
export function unclearIn(text: string): object | undefined {
  const parsed = parseJsonText(text, { ...RECEIVED, length: Number.POSITIVE_INFINITY, halves: true });
  if (!('error' in parsed)) return undefined;
  // The value may be too deep to be parsed.
  const scan = new IdScan();
  scan.read(Buffer.from(text));
  const why = parsed.error.message === TWICE ? 'has a member twice' : `is not valid JSON: ${parsed.error.message}`;
  return refusal(scan.id(), INVALID_REQUEST, `The message ${why}.`);
}

/** Returns the answer to bytes that are not UTF-8. */
export function notUtf8(): object {
  return refusal(null, PARSE_ERROR, 'The message is not UTF-8.');
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
