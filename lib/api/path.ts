import { ValidationError } from '../errors.ts';

/** Stands for the configured tenant services group in a path; replaced when the request is made. */
export const tenant: unique symbol = Symbol('tenant');

/** A path whose variable segments cannot be anything but one encoded segment each. Only the `path` template makes one. */
export interface Path {
  readonly parts: readonly string[];
  readonly segments: readonly (string | typeof tenant)[];
}

/** The path template: every value in it becomes exactly one segment. */
export function path(parts: TemplateStringsArray, ...segments: (string | typeof tenant)[]): Path {
  return { parts: [...parts], segments };
}

/**
 * The path as it is sent, below a plane's base address.
 * @param tenantId what `tenant` stands for
 * @throws ValidationError for a segment that is empty, a dot, or decodes to something that would leave its place
 */
export function pathText({ parts, segments }: Path, tenantId: () => string): string {
  const texts = segments.map((segment) => encodeSegment(typeof segment === 'string' ? segment : tenantId()));
  return parts.map((part, index) => part + (texts[index] ?? '')).join('');
}

/** One path segment, percent-encoded. */
function encodeSegment(value: string): string {
  const decoded = decodeFully(value);
  if (decoded === '' || decoded === '.' || decoded === '..') {
    throw new ValidationError([
      { message: 'A name or an id that becomes part of an address must not be empty, "." or "..".' },
    ]);
  }
  return encoded(value);
}

/**
 * A text as part of an address, which nobody on the way writes in another form.
 * @throws ValidationError for one that no address can hold
 */
export function encoded(value: string): string {
  if (!isWellFormed(value)) {
    throw new ValidationError([
      { message: 'A text that becomes part of an address holds a broken character (half of a surrogate pair).' },
    ]);
  }
  return encodeURIComponent(value).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

// Proxies decode more than once, so "%252e%252e" is as dangerous as "..".
function decodeFully(value: string): string {
  let text = value.trim();
  for (let round = 0; round < 5; round += 1) {
    let next: string;
    try {
      next = decodeURIComponent(text).trim();
    } catch {
      return text;
    }
    if (next === text) return text;
    text = next;
  }
  return '..';
}

function isWellFormed(value: string): boolean {
  try {
    encodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}
