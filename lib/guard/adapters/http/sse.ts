/** Reads server-sent events as their readers do, in pieces of any size, and sends what may pass of them. */
import { type Chunks, MAX_BYTES } from './answer.ts';

export interface SentEvent {
  /** The event as it came, with its end. */
  readonly raw: string;
  readonly lines: readonly string[];
  /** Empty without a name. */
  readonly name: string;
  readonly data: string;
}

/** The end of an event. */
const BLANK = /\r\n\r\n|\n\n|\r\r|\r\n\n|\n\r\n/;

/** @throws Error for text that is no UTF-8, or an event that is too long */
export async function* eventsOf(body: Chunks): AsyncGenerator<SentEvent, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const piece of body) {
    rest += typeof piece === 'string' ? piece : decoder.decode(piece as Uint8Array, { stream: true });
    for (let end = BLANK.exec(rest); end !== null; end = BLANK.exec(rest)) {
      const length = end.index + end[0].length;
      yield eventIn(rest.slice(0, length));
      rest = rest.slice(length);
    }
    if (rest.length > MAX_BYTES) throw new Error('An event of the answer is too long.');
  }
  rest += decoder.decode();
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

/** Returns texts as a body that is read as fast as its reader takes it. @param stop runs at its end, and when its reader leaves */
export function bodyOf(texts: AsyncGenerator<string, void>, stop: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await texts.next();
      if (done !== true) return controller.enqueue(encoder.encode(value));
      controller.close();
      return stop();
    } catch (thrown) {
      stop();
      throw thrown;
    }
  };
  const cancel = () => {
    stop();
    // It waits for the piece under way, which a model that ignores its signal may never send.
    texts.return().catch(() => undefined);
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
