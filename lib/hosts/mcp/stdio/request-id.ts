/** Finds the id of a request in JSON that is too long to be parsed, in constant memory. */

/** Maximum size of names and ids, in bytes; longer texts are not kept. */
const MAX_LENGTH = 200;
const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Reads a text in parts. Only members of the outermost object count, so that a prompt cannot name an id. A message without a
 * method is an answer: its id is that of a request of the server, and must not come back as if it were the client's.
 */
export class IdScan {
  #depth = 0;
  #isObject = false;
  #inText = false;
  #isEscaped = false;
  #name = '';
  #token: number[] = [];
  readonly #members = new Map<string, unknown>();

  read(part: Uint8Array): void {
    for (const byte of part) {
      if (this.#inText) this.#inside(byte);
      else this.#outside(byte);
    }
  }

  /** Returns the id of a request; null if the text is not a request, or its id is neither a short text nor a number. */
  id(): string | number | null {
    const id = this.#members.get('id');
    if (!this.#isObject || this.#depth !== 0 || typeof this.#members.get('method') !== 'string') return null;
    return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null;
  }

  #inside(byte: number): void {
    this.#keep(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#inText = false;
  }

  #outside(byte: number): void {
    switch (byte) {
      case OPEN_OBJECT:
      case OPEN_LIST:
        this.#keep(byte);
        if (this.#depth === 0) this.#isObject = byte === OPEN_OBJECT;
        this.#depth += 1;
        return;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        if (this.#depth === 1) this.#endMember();
        this.#depth -= 1;
        return;
      case COLON:
        if (this.#depth === 1) [this.#name, this.#token] = [String(parsed(this.#token)), []];
        return;
      case COMMA:
        if (this.#depth === 1) this.#endMember();
        return;
      default:
        this.#inText = byte === QUOTE;
        this.#keep(byte);
    }
  }

  #keep(byte: number): void {
    if (this.#depth === 1 && this.#token.length <= MAX_LENGTH) this.#token.push(byte);
  }

  #endMember(): void {
    if (this.#name === 'id' || this.#name === 'method') this.#members.set(this.#name, parsed(this.#token));
    [this.#name, this.#token] = ['', []];
  }
}

/** Parses the JSON of a name or a value. @returns undefined for anything but a short text or number */
function parsed(token: readonly number[]): unknown {
  if (token.length > MAX_LENGTH) return undefined;
  try {
    return JSON.parse(Buffer.from(token).toString('utf8'));
  } catch {
    return undefined;
  }
}
