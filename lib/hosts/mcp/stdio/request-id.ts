/** Finds the id of a request in JSON that is too long to be parsed, in constant memory. */
import { isObject } from '../../../core/json.ts';

/** Maximum size of a text and of the outline, in bytes; a longer text becomes null. */
const [MAX_TEXT, MAX_OUTLINE] = [200, 10_000];
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const NULL = Array.from(Buffer.from('null'));
const [OPEN, CLOSE] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];

/**
 * Reads a text in parts, and keeps its outline: the members of the outermost object, with nothing inside of them. A prompt
 * cannot name an id. A message without a method is an answer: its id is that of a request of the server, and must not come
 * back as if it were the client's.
 */
export class IdScan {
  #outline: number[] = [];
  #depth = 0;
  #isEscaped = false;
  /** Where the text that is being read began in the outline. */
  #textStart: number | undefined;

  read(part: Uint8Array): void {
    for (const byte of part) {
      if (this.#textStart === undefined) this.#outside(byte);
      else this.#inside(byte, this.#textStart);
    }
  }

  /** Returns the id of a request; null if the text is not a request, or its id is neither a short text nor a number. */
  id(): string | number | null {
    const { id, method } = outlined(this.#outline);
    if (typeof method !== 'string') return null;
    return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null;
  }

  #outside(byte: number): void {
    const before = this.#depth;
    if (OPEN.has(byte)) this.#depth += 1;
    else if (CLOSE.has(byte)) this.#depth -= 1;
    else if (byte === QUOTE) this.#textStart = this.#outline.length;
    // Both ends of an inner object stay, so that the outline is JSON.
    this.#keep(byte, Math.min(before, this.#depth));
  }

  #inside(byte: number, start: number): void {
    const isEnd = byte === QUOTE && !this.#isEscaped;
    this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
    if (this.#outline.length - start <= MAX_TEXT) this.#keep(byte, this.#depth);
    else if (isEnd) this.#outline = this.#outline.slice(0, start).concat(NULL);
    if (isEnd) this.#textStart = undefined;
  }

  #keep(byte: number, depth: number): void {
    if (depth <= 1 && this.#outline.length <= MAX_OUTLINE) this.#outline.push(byte);
  }
}

/** Parses an outline. @returns no members for anything but an object */
function outlined(outline: readonly number[]): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(outline).toString('utf8'));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
