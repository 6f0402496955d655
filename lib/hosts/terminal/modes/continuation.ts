/** Continuation lines: a line that ends inside a quote continues, because pasted prompts and JSON hold line breaks. */
import { parseLine } from '../../../arguments/argv.ts';

const QUOTES = ['"', "'", '`'];

export type Collector = ReturnType<typeof collector>;

/** Joins continuation lines. @param isCommand reports whether a line is a command; other lines do not continue */
export function collector(isCommand: (line: string) => boolean) {
  let parts: string[] = [];
  let quote: string | undefined;
  return {
    /** Adds one input line. @returns the complete line, or undefined while its quote is open */
    push: (text: string) => {
      parts.push(text);
      // A part without the open quote cannot close it, so the joined text need not be parsed again.
      if (quote === undefined || text.includes(quote)) quote = openQuote(parts.join('\n'), isCommand);
      if (quote !== undefined) return undefined;
      const whole = parts.join('\n');
      parts = [];
      return whole;
    },
    get pending() {
      return parts.length > 0;
    },
    clear: () => {
      parts = [];
      quote = undefined;
    },
  };
}

function openQuote(text: string, isCommand: (line: string) => boolean): string | undefined {
  if (!isCommand(text) || isSplit(text)) return undefined;
  return QUOTES.find((quote) => isSplit(`${text}\n${quote}`));
}

function isSplit(text: string): boolean {
  try {
    parseLine(text);
    return true;
  } catch {
    return false;
  }
}
