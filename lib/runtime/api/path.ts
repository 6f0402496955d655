import { ValidationError } from '../../core/errors.ts';

/** Placeholder for the configured tenant services group in a path; replaced when the request is sent. */
export const tenant: unique symbol = Symbol('tenant');

/** A path in which each variable is one encoded segment. Only the `path` template creates it. */
export interface Path {
  readonly parts: readonly string[];
  readonly segments: readonly (string | typeof tenant)[];
}

/** Creates a path: each value in the template becomes exactly one segment. */
export function path(parts: TemplateStringsArray, ...segments: (string | typeof tenant)[]): Path {
  return { parts: [...parts], segments };
}

/**
 * Returns the path to send, relative to a plane's base address.
 * @param tenantId the value of `tenant`
 * @throws ValidationError for a segment that is empty, or that resolves to another path once it is decoded
 */
export function pathText({ parts, segments }: Path, tenantId: () => string): string {
  const texts = segments.map((segment) => encodeSegment(typeof segment === 'string' ? segment : tenantId()));
  return parts.map((part, index) => part + (texts[index] ?? '')).join('');
}

function encodeSegment(value: string): string {
  if (value.trim() !== '' && !isTraversal(value)) return encoded(value);
  const message =
    'A name or an id in an address must not be empty, "." or "..", nor contain such a part between slashes.';
  throw new ValidationError([{ message }]);
}

/**
 * Encodes a text as part of an address, without characters that a proxy would encode differently.
 * @throws ValidationError for a text with half of a surrogate pair
 */
export function encoded(value: string): string {
  try {
    return encodeURIComponent(value).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  } catch {
    const message = 'A text in an address contains a broken character (half of a surrogate pair).';
    throw new ValidationError([{ message }]);
  }
}

const MAX_DECODES = 5;

/** Returns true if a proxy or server that decodes the segment, even repeatedly, would resolve another path. */
function isTraversal(value: string): boolean {
  let text = value;
  for (let round = 0; round < MAX_DECODES; round += 1) {
    if (text.trim() === '' || text.split(/[/\\]/).some(isDots)) return true;
    const next = decodedOnce(text);
    if (next === text) return false;
    text = next;
  }
  return true;
}

function isDots(part: string): boolean {
  return /^\.{1,2}$/.test(part.trim());
}

/** Decodes only the valid escapes if some are invalid, as servers do. */
function decodedOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
}
