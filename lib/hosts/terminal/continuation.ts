/** A line that ends inside a quote goes on: pasted prompts and JSON often hold line breaks. */
import { parseLine } from '../../arguments/argv.ts';

const QUOTES = ['"', "'", '`'];

export interface Collector {
  /** Takes what was entered. @returns the whole line, or undefined when its quote is still open */
  push(text: string): string | undefined;
  readonly pending: boolean;
  clear(): void;
}

/** Puts lines together that belong together. */
export function collector(): Collector {
  let parts: string[] = [];
  let quote: string | undefined;
  return {
    push: (text) => {
      parts.push(text);
      // Without the open quote in it a part cannot close anything, and is not worth reading everything again.
      if (quote === undefined || text.includes(quote)) quote = openQuote(parts.join('\n'));
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

function openQuote(text: string): string | undefined {
  if (!/^\s*(?:!|aisec-)/.test(text) || isSplit(text)) return undefined;
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
