/** Finds the id of a request in JSON that is too long to be parsed, in constant memory. */

/** Reads a text in parts. */
export interface IdScan {
  read(part: Uint8Array): void;
  /** Returns the id of a request; null if the text is none, or its id is neither a short text nor a number. */
  id(): string | number | null;
}

/** Names and ids have at most this many bytes; longer ones are not kept. */
const LONGEST = 200;
const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Starts a scan. Only members of the outermost object count, so that a prompt cannot name an id. A message without a method
 * is an answer: its id is one of the server's requests, and must not come back as if it were the client's.
 */
export function scanForId(): IdScan {
  let depth = 0;
  let isObject = false;
  let inText = false;
  let isEscaped = false;
  let name = '';
  let token: number[] = [];
  const members = new Map<string, unknown>();

  const keep = (byte: number) => {
    if (depth === 1 && token.length <= LONGEST) token.push(byte);
  };
  const endMember = () => {
    if (name === 'id' || name === 'method') members.set(name, parsed(token));
    [name, token] = ['', []];
  };
  const inside = (byte: number) => {
    keep(byte);
    if (isEscaped) isEscaped = false;
    else if (byte === BACKSLASH) isEscaped = true;
    else if (byte === QUOTE) inText = false;
  };
  const outside = (byte: number) => {
    switch (byte) {
      case QUOTE:
        inText = true;
        return keep(byte);
      case OPEN_OBJECT:
      case OPEN_LIST:
        keep(byte);
        if (depth === 0) isObject = byte === OPEN_OBJECT;
        depth += 1;
        return;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        if (depth === 1) endMember();
        depth -= 1;
        return;
      case COLON:
        if (depth !== 1) return;
        [name, token] = [String(parsed(token)), []];
        return;
      case COMMA:
        if (depth === 1) endMember();
        return;
      default:
        keep(byte);
    }
  };
  return {
    read(part) {
      for (const byte of part) {
        if (inText) inside(byte);
        else outside(byte);
      }
    },
    id() {
      const id = members.get('id');
      if (!isObject || depth !== 0 || typeof members.get('method') !== 'string') return null;
      return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null;
    },
  };
}

/** Parses the JSON of a name or a value. @returns undefined for anything but a short text or number */
function parsed(token: readonly number[]): unknown {
  if (token.length > LONGEST) return undefined;
  try {
    return JSON.parse(Buffer.from(token).toString('utf8'));
  } catch {
    return undefined;
  }
}
