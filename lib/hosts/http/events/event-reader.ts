/** Reads server-sent events from chunks of bytes, which may be cut anywhere: inside a character, a line or an event. */

export interface ReadEvent {
  /** `message` if the sender gave no name. */
  readonly event: string;
  /** Lines of data, joined by line feeds. */
  readonly data: string;
}

/** The bytes are not valid events, or an event is too large. */
export class EventError extends Error {
  readonly isTooLarge: boolean;

  constructor(message: string, isTooLarge = false) {
    super(message);
    this.isTooLarge = isTooLarge;
  }
}

/** Matches a line end: CR LF, LF or CR. */
const LINE_END = /[\r\n]/g;

export class EventReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #most: number;
  /** Parts of the current line. */
  #line: string[] = [];
  #event = '';
  #data: string[] = [];
  /** Characters of the current event. */
  #size = 0;
  /** Whether the last character was a CR: an LF after it ends the same line. */
  #afterCr = false;
  #lines = 0;

  /** @param most characters of one event */
  constructor(most: number) {
    this.#most = most;
  }

  /** Number of whole lines so far; comments count too. */
  get lines(): number {
    return this.#lines;
  }

  /** Reads a chunk. @throws EventError for bytes that are not UTF-8, and for an event that is too large */
  read(chunk: Uint8Array): ReadEvent[] {
    return this.#take(this.#decode(chunk));
  }

  /** Reads the end of the input. Also ends the last event, because the sender may have omitted the empty line. */
  end(): ReadEvent[] {
    return this.#take(`${this.#decode()}\n\n`);
  }

  #decode(chunk?: Uint8Array): string {
    try {
      return chunk === undefined ? this.#decoder.decode() : this.#decoder.decode(chunk, { stream: true });
    } catch {
      throw new EventError('The events are not UTF-8.');
    }
  }

  #take(text: string): ReadEvent[] {
    const events: ReadEvent[] = [];
    let from = 0;
    for (const { 0: end, index } of text.matchAll(LINE_END)) {
      const isRest = end === '\n' && index === 0 && this.#afterCr;
      if (!isRest && !(end === '\n' && index === from && text[index - 1] === '\r')) {
        this.#add(text.slice(from, index));
        const line = this.#line.join('');
        this.#line = [];
        this.#endLine(line, events);
      }
      from = index + 1;
    }
    if (text !== '') this.#afterCr = text.endsWith('\r');
    this.#add(text.slice(from));
    return events;
  }

  #add(part: string): void {
    this.#size += part.length;
    if (this.#size > this.#most) throw new EventError(`An event has more than ${this.#most} characters.`, true);
    if (part !== '') this.#line.push(part);
  }

  #endLine(line: string, events: ReadEvent[]): void {
    this.#lines += 1;
    if (line === '') {
      if (this.#data.length > 0 || this.#event !== '')
        events.push({ event: this.#event === '' ? 'message' : this.#event, data: this.#data.join('\n') });
      this.#event = '';
      this.#data = [];
      this.#size = 0;
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) {
      // A comment belongs to no event.
      this.#size -= line.length;
      return;
    }
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.#event = value;
    else if (name === 'data') this.#data.push(value);
  }
}
