/** Reads server-sent events as their readers do: bytes in pieces of any size, and line ends of every kind. */
import { MAX_BYTES } from './answer.ts';

export interface SentEvent {
  /** Empty without a name. */
  readonly name: string;
  readonly data: string;
}

/** @throws Error for text that is no UTF-8, or an event that is too long */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<SentEvent, void> {
  let lines: string[] = [];
  let length = 0;
  for await (const line of linesOf(body)) {
    length += line.length;
    if (length > MAX_BYTES) throw new Error('An event of the answer is too long.');
    if (line !== '') lines.push(line);
    else if (lines.length > 0) {
      yield eventIn(lines);
      [lines, length] = [[], 0];
    }
  }
  if (lines.length > 0) yield eventIn(lines);
}

/** Reads the lines of an event. */
export function eventIn(lines: readonly string[]): SentEvent {
  const valuesOf = (field: string) =>
    lines.flatMap((line) =>
      line === field || line.startsWith(`${field}:`) ? [line.slice(field.length + 1).replace(/^ /, '')] : [],
    );
  return { name: valuesOf('event').at(-1) ?? '', data: valuesOf('data').join('\n') };
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const piece of body) {
    rest += decoder.decode(piece, { stream: true });
    // A carriage return at the end may be the first half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_BYTES) throw new Error('A line of the answer is too long.');
    yield* lines;
  }
  yield* (rest + decoder.decode()).split(/\r\n|\n|\r/);
}
