/** The form of messages of JSON-RPC, and the text of a message of MCP that a model, a tool or a person may see. */
import { isObject, type JsonObject, present } from '../../../core/json.ts';
import { lines } from '../../readable/text.ts';
import { contentText } from '../../readable.ts';

export type Id = string | number;

/** A message with its id and method, if it has them. */
export type Named = JsonObject & { readonly id: Id; readonly method: string };

/** Builds a message from known members only. */
export function rpc({ id, method, params, result, error }: JsonObject): JsonObject {
  return { jsonrpc: '2.0', ...present({ id, method, params, result, error }) };
}

/** Returns the kind of a message; undefined if two readers could read different kinds. */
export function kindOf(message: JsonObject): 'request' | 'response' | 'notification' | undefined {
  const { id, method, params, result, error } = message;
  const hasId = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
  if ([method, result, error].filter((member) => member !== undefined).length !== 1) return undefined;
  if (method === undefined) return hasId && isObject(result ?? error) ? 'response' : undefined;
  if (typeof method !== 'string' || (params !== undefined && !isObject(params))) return undefined;
  if (id === undefined) return 'notification';
  return hasId ? 'request' : undefined;
}

/** Members of `_meta` that carry the protocol. */
const ENVELOPE = /^io\.modelcontextprotocol\/(?:protocolVersion|clientInfo|clientCapabilities|logLevel)$/;
/** Members that steer the protocol, with their values as JSON: numbers, closed words, and a token without words. */
const SIGN =
  /^(?:(?:progress|total|ttlMs) [\d.e+-]+|isError (?:true|false)|resultType "complete"|cacheScope "(?:public|private)"|progressToken (?:[\d.e+-]+|"[\w-]{1,64}"))$/;

/** Reads a result; a structured content that its text repeats is read once. */
export function resultText(result: JsonObject): string {
  const { structuredContent, content, ...rest } = result;
  const said = contentText(content);
  const isRepeated = structuredContent === undefined || said === JSON.stringify(structuredContent);
  return lines([said, isRepeated ? '' : contentText(structuredContent), contentText(withoutSigns(rest))]);
}

/** Returns parameters without the envelope of the protocol. */
export function contentOf(params: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = params;
  if (!isObject(meta)) return withoutSigns(params);
  const kept = Object.entries(withoutSigns(meta)).filter(([name]) => !ENVELOPE.test(name));
  return withoutSigns(kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) });
}

function withoutSigns(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([name, member]) => !SIGN.test(`${name} ${JSON.stringify(member)}`)),
  );
}
