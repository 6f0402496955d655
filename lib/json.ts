/** Reads JSON of unknown form: a missing member, or null, counts as empty. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object, else an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the objects of a list; none if the value is not a list. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns true for an object that is neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** No valid value is nested deeper, and a deeper one could overflow the stack. */
export const MAX_DEPTH = 100;

/** Returns true if a value is nested deeper than this; it is not read beyond. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels <= 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) if (typeof member === 'object' && isDeeper(member, levels - 1)) return true;
  return false;
}

/** Parses a received JSON text; undefined if it is invalid or nested too deeply. */
export function receivedJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, MAX_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Converts any value to text. An object becomes JSON, because a received one may have its own `toString`. */
export function asText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
