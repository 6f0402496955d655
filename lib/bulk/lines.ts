import type { TextReader } from '../ports.ts';

export interface LineReader {
  /** The next line without its end, or undefined when there is none. What follows the last line end is no line. */
  next(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Lines of a text that programs wrote: each ends with a line feed, and one that does not was cut short. */
export function lineReader(reader: TextReader): LineReader {
  let rest = '';
  let lines: string[] = [];
  let at = 0;
  const next = async (): Promise<string | undefined> => {
    while (at >= lines.length) {
      const piece = await reader.next();
      if (piece === undefined) return undefined;
      lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      at = 0;
    }
    at += 1;
    return lines[at - 1];
  };
  return { next, close: () => reader.close() };
}

/** A text that is there already, as something to read. */
export function textReader(text: string): TextReader {
  let at = 0;
  return {
    next: async () => {
      if (at >= text.length) return undefined;
      // Half of a surrogate pair would be counted as a character of its own.
      const end = at + PIECE + ((text.charCodeAt(at + PIECE - 1) & 0xfc00) === 0xd800 ? 1 : 0);
      const piece = text.slice(at, end);
      at = end;
      return piece;
    },
    close: async () => undefined,
  };
}

const PIECE = 65_536;
