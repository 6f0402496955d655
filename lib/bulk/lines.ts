import type { TextReader } from '../core/ports.ts';

/** Reads lines that a program wrote, each without its end; text after the last line feed is incomplete and is left out. */
export function lineReader(reader: TextReader): TextReader {
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
