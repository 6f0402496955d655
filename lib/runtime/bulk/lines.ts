/** Reads lines, and the JSON object that a line holds. */
import { isObject, type JsonObject } from '../../core/json.ts';
import { type JsonBounds, parseJsonText } from '../../core/json-text.ts';
import type { TextReader } from '../../core/ports.ts';

/**
 * Reads lines without their ends, LF or CR LF. CR and U+2028 do not end a line. @param options `keepsRest`: text after
 * the last line feed counts as a line; it is incomplete if the writing program was killed
 */
export function lineReader(reader: TextReader, { keepsRest = false } = {}): TextReader {
  let rest = '';
  let lines: string[] = [];
  let at = 0;
  const next = async (): Promise<string | undefined> => {
    while (at >= lines.length) {
      const piece = await reader.next();
      if (piece === undefined && (!keepsRest || rest === '')) return undefined;
      const [first = '', ...more] = piece?.split('\n') ?? ['', ''];
      rest += first;
      if (more.length === 0) continue;
      lines = [rest, ...more];
      rest = lines.pop() ?? '';
      at = 0;
    }
    at += 1;
    const line = lines[at - 1];
    return line?.endsWith('\r') === true ? line.slice(0, -1) : line;
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

const ANY: JsonBounds = {
  length: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
  forbidden: [],
  halves: true,
  rounds: true,
};

/**
 * Reads a line. @returns undefined for anything but an object, and for a duplicate member, which parsers read differently
 */
export function jsonObjectIn(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject(value)) return undefined;
    // Do not search lines that this program wrote, which are most lines, for duplicate members.
    return JSON.stringify(value) === line || 'value' in parseJsonText(line, ANY) ? value : undefined;
  } catch {
    return undefined;
  }
}
