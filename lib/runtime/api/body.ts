import { ResponseError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';

/**
 * Returns the members as an object for a body, or undefined if no member is set, because an empty object has a meaning
 * of its own in the service.
 */
export function group<T extends Readonly<Record<string, unknown>>>(members: T): T | undefined {
  return Object.values(members).some((value) => value !== undefined) ? members : undefined;
}

/**
 * Builds the body of a request that replaces a resource: the changes, plus the current values of all other members.
 * @param current the resource as it was read
 * @param names members that the request may have
 * @param changes undefined keeps a member, null clears it
 * @throws ResponseError if the resource was read without members: a replacement would lose everything
 */
export function replacing(current: JsonObject, names: readonly string[], changes: JsonObject): JsonObject {
  const kept = names.filter((name) => current[name] !== undefined && current[name] !== null);
  if (kept.length === 0) {
    throw new ResponseError('The service returned nothing for the resource to change.', {
      hint: 'An update must send every field, so nothing was changed: try again.',
    });
  }
  const body: Record<string, unknown> = {};
  for (const name of kept) body[name] = current[name];
  for (const [name, value] of Object.entries(changes)) if (value !== undefined) body[name] = value;
  return body;
}
