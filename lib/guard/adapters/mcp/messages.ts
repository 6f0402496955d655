/** The form of messages of JSON-RPC. */
import { isObject, type JsonObject } from '../../../core/json.ts';

export type Id = string | number;

/** A message with its id and method, if it has them. */
export type Named = JsonObject & { readonly id: Id; readonly method: string };

/** Builds a message from known members only. */
export function rpc({ id, method, params, result, error }: JsonObject): JsonObject {
  const members = { id, method, params, result, error };
  const known = Object.entries(members).filter(([, value]) => value !== undefined);
  return { jsonrpc: '2.0', ...Object.fromEntries(known) };
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
