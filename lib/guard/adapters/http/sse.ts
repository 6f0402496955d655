/** Reads server-sent events as their readers do, in pieces of any size, and sends those that may pass. */
import { streamOf } from '../values.ts';
import { type Chunks, chunkTexts, MAX_BYTES } from './answer.ts';

export interface SentEvent {
  /** The raw event, with its end. */
  readonly raw: string;
  readonly lines: readonly string[];
  /** Empty if the event has no name. */
  readonly name: string;
  readonly data: string;
}

/** The end of an event. */
const BLANK = /\r\n\r\n|\n\n|\r\r|\r\n\n|\n\r\n/;

/** @throws Error if the text is not UTF-8, or an event is too long */
export async function* eventsOf(body: Chunks): AsyncGenerator<SentEvent, void> {
  let rest = '';
  for await (const text of chunkTexts(body)) {
    rest += text;
    for (let end = BLANK.exec(rest); end !== null; end = BLANK.exec(rest)) {
      const length = end.index + end[0].length;
      yield eventIn(rest.slice(0, length));
      rest = rest.slice(length);
    }
    if (rest.length > MAX_BYTES) throw new Error('An event of the answer is too long.');
  }
  if (rest !== '') yield eventIn(rest);
}

function eventIn(raw: string): SentEvent {
  const lines = raw.split(/\r\n|\r|\n/);
  const valuesOf = (field: string) =>
    lines.flatMap((line) =>
      line === field || line.startsWith(`${field}:`) ? [line.slice(field.length + 1).replace(/^ /, '')] : [],
    );
  return { raw, lines, name: valuesOf('event').at(-1) ?? '', data: valuesOf('data').join('\n') };
}

/** Streams texts as a body. @param stop runs at its end, and when its reader leaves */
export function bodyOf(texts: AsyncGenerator<string, void>, stop: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const encoded = async function* () {
    try {
      for await (const text of texts) yield encoder.encode(text);
    } finally {
      stop();
    }
  };
  return streamOf(encoded(), stop);
}
