/** Reads JSON of unknown form: a missing member and null count as empty. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object, else an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Members of an object, without undefined. */
export type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Removes undefined members. */
export function present<Members extends object>(members: Members): Present<Members> {
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Present<Members>;
}

/** Returns the objects of a list; empty if the value is not a list. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns true for an object that is neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reports whether a string is valid JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Valid values are never nested deeper, and a deeper value could overflow the stack. */
export const MAX_DEPTH = 100;

/** Returns true if a value is nested deeper than the limit; stops reading there. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels <= 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) if (typeof member === 'object' && isDeeper(member, levels - 1)) return true;
  return false;
}

/** `Number.MAX_SAFE_INTEGER`, which an ES5 engine lacks. */
export const MAX_EXACT = 9_007_199_254_740_991;

/** Matches a number that may be too large to keep its digits. */
const LONG = /[0-9]{16}/;
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g;

/**
 * Parses a JSON text. An integer beyond 2^53 becomes a string of its digits, because a number would lose some of them.
 * @throws SyntaxError
 */
function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return LONG.test(text) ? JSON.parse(withLongIntegersQuoted(text)) : value;
}

/** @param text valid JSON */
function withLongIntegersQuoted(text: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const start = quote < 0 ? text.length : quote;
    parts.push(text.slice(at, start).replace(NUMBER, exact));
    at = start === text.length ? start : endOfString(text, start);
    parts.push(text.slice(start, at));
  }
  return parts.join('');
}

function exact(number: string): string {
  return /^-?[0-9]{16,}$/.test(number) && Math.abs(Number(number)) > MAX_EXACT ? `"${number}"` : number;
}

/** Returns the position after a string. @param start position of its first quote */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    let slashes = quote;
    while (text.charAt(slashes - 1) === '\\') slashes -= 1;
    at = quote + 1;
    if ((quote - slashes) % 2 === 0) return at;
  }
}

/**
 * Parses a received JSON text, and keeps all digits of every integer.
 * @returns undefined if it is invalid or nested too deeply
 */
export function receivedJson(text: string): unknown {
  try {
    const value = parseExactly(text);
    return isDeeper(value, MAX_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Converts any value to text. An object becomes JSON, because a received object may have its own `toString`. */
export function asText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Sets a member, whatever its name; a plain assignment to `__proto__` would set the prototype. */
export function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
