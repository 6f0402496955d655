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
 * @throws ValidationError for a segment that is empty, or that leads elsewhere once it is decoded
 */
export function pathText({ parts, segments }: Path, tenantId: () => string): string {
  const texts = segments.map((segment) => encodeSegment(typeof segment === 'string' ? segment : tenantId()));
  return parts.map((part, index) => part + (texts[index] ?? '')).join('');
}

/** One path segment, percent-encoded. */
function encodeSegment(value: string): string {
  if (value.trim() !== '' && !leavesItsPlace(value)) return encoded(value);
  throw new ValidationError([
    {
      message:
        'A name or an id that becomes part of an address must not be empty, "." or "..", nor so between slashes.',
    },
  ]);
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

const MOST_ROUNDS = 5;

/** Does it lead elsewhere for a proxy or a server that decodes it, however often? */
function leavesItsPlace(value: string): boolean {
  let text = value;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
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

/** Where the whole is no sound encoding, servers decode what is sound in it. */
function decodedOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return asciiDecoded(text);
  }
}

function asciiDecoded(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function isWellFormed(value: string): boolean {
  try {
    encodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}
