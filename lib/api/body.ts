import { ResponseError } from '../errors.ts';
import type { JsonObject } from '../json.ts';

/** An object for a request's body, or undefined when none of its members is given: an empty object would say something. */
export function group<T extends Readonly<Record<string, unknown>>>(members: T): T | undefined {
  return Object.values(members).some((value) => value !== undefined) ? members : undefined;
}

/**
 * A whole resource for a request that replaces it: what is given, and of the other named members what it has now.
 * @param current the resource as it was read
 * @param names its members that a request may have
 * @param given undefined where a member stays, null where it is cleared
 * @throws ResponseError when nothing of it was read: a replacement would then lose everything
 */
export function replacing(current: JsonObject, names: readonly string[], given: JsonObject): JsonObject {
  const kept = names.filter((name) => current[name] !== undefined && current[name] !== null);
  if (kept.length === 0) {
    throw new ResponseError('The service told nothing of what is to be changed.', {
      hint: 'A change has to repeat what stays, so nothing was changed: try again.',
    });
  }
  const body: Record<string, unknown> = {};
  for (const name of kept) body[name] = current[name];
  for (const [name, value] of Object.entries(given)) if (value !== undefined) body[name] = value;
  return body;
}
