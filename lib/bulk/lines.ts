import type { TextReader } from '../core/ports.ts';

export interface LineReader {
  /** Returns the next line without its end, or undefined. Text after the last line end is not a line. */
  next(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Reads lines that a program wrote: a line without a line feed is incomplete. */
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

/** Creates a reader of a text in memory. */
export function textReader(text: string): TextReader {
  let at = 0;
  return {
    next: async () => {
      if (at >= text.length) return undefined;
      // A chunk must not split a surrogate pair.
      const end = at + PIECE + ((text.charCodeAt(at + PIECE - 1) & 0xfc00) === 0xd800 ? 1 : 0);
      const piece = text.slice(at, end);
      at = end;
      return piece;
    },
    close: async () => undefined,
  };
}

const PIECE = 65_536;
