/** Looking into JSON of which nothing is certain: what is not there, or is null where something was expected, counts as empty. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** The value if it is an object, else an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The objects of a list; empty if it is none. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Nothing that means something nests deeper, and what nests without end would be more than the stack can hold. */
export const DEEPEST = 100;

/** Does it nest deeper than so many levels? It is not followed any further. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels <= 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) if (typeof member === 'object' && isDeeper(member, levels - 1)) return true;
  return false;
}

/** The value of a JSON text that came from elsewhere; undefined for what is none, or nests deeper than anything should. */
export function receivedJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, DEEPEST) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Any value as a text. An object as JSON: one that was sent may have a member `toString`, and then has no text of its own. */
export function asText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
