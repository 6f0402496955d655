/** Answers lines that are not a message: the protocol's library ignores them, and their client would wait forever. */
import { INVALID_REQUEST, PARSE_ERROR, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { jsonObjectIn } from '../../../bulk/json-object.ts';
import { isObject, objectOf, receivedJson } from '../../../core/json.ts';
import { MAX_MESSAGE_BYTES } from './bounded-lines.ts';

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
    return twiceIn(line);
  } catch {
    const { id, method } = isObject(value) ? value : {};
    if (typeof method === 'string' && id === undefined) return undefined;
    const isOwn = typeof method === 'string' && (typeof id === 'string' || Number.isSafeInteger(id));
    return refusal(isOwn ? (id as string | number) : null, INVALID_REQUEST, 'The message is not a valid request.');
  }
}

/** Returns the answer to a request that has a member twice, of which another reader may take the first. */
export function twiceIn(text: string): object | undefined {
  if (jsonObjectIn(text) !== undefined) return undefined;
  const { id } = objectOf(receivedJson(text));
  return typeof id === 'string' || typeof id === 'number'
    ? refusal(id, INVALID_REQUEST, 'The message has a member twice.')
    : undefined;
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
