/**
 * Splits a war-room line. References are replaced afterwards, inside each value, so that text from the context cannot become
 * an argument or a command.
 */
import { UsageError, ValidationError } from '../../core/errors.ts';

/** A parsed line: command name, `name=value` pairs in order, and values without a name. */
export interface Invocation {
  readonly name: string;
  readonly pairs: readonly Pair[];
  readonly positionals: readonly string[];
  /**
   * All words after the command's name, in order; set if some words have no argument name: the error then shows the line
   * that was probably meant.
   */
  readonly words?: readonly Word[] | undefined;
}

export interface Pair {
  readonly name: string;
  /** Text as typed; a playbook may pass other types. */
  readonly value: unknown;
}

/** A word of a line; its value is text as typed. */
export interface Word {
  readonly name?: string;
  readonly value: unknown;
}

export interface Token {
  /** Absent for a value without a name. */
  name?: string;
  value: string;
}

/** Maximum number of words: far more than any command takes, and enough to explain a text without quotes. */
const MAX_WORDS = 1000;
const SPACE = /\s/;
const NAME_END = /[\s="'`]/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
const ESCAPABLE = '"\'`\\^:, ';

/**
 * Splits a line into tokens.
 * @param line the text after `!`, or the whole line
 * @throws ValidationError with the position, counted from 1, of an unclosed quote or of text after a closing quote;
 *   UsageError for too many words
 */
export function tokenize(line: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < line.length) {
    if (SPACE.test(line.charAt(at))) {
      at += 1;
      continue;
    }
    if (tokens.length >= MAX_WORDS) throw new UsageError(`The line has more than ${MAX_WORDS} words.`);
    const nameEnd = endOfName(line, at);
    const named = nameEnd > at && line.charAt(nameEnd) === '=';
    const value = readValue(line, named ? nameEnd + 1 : at);
    tokens.push(named ? { name: line.slice(at, nameEnd), value: value.text } : { value: value.text });
    at = value.end;
  }
  return tokens;
}

function endOfName(line: string, start: number): number {
  let end = start;
  while (end < line.length && !NAME_END.test(line.charAt(end))) end += 1;
  return end;
}

function readValue(line: string, start: number): { text: string; end: number } {
  const quote = line.charAt(start);
  if (quote === '`') return requireClosed(line, start, readRaw(line, start));
  if (quote === '"' || quote === "'") return requireClosed(line, start, readQuoted(line, start, quote));
  let end = start;
  while (end < line.length && !SPACE.test(line.charAt(end))) end += 1;
  return { text: line.slice(start, end), end };
}

function readRaw(line: string, start: number): { text: string; end: number } | undefined {
  const close = line.indexOf('`', start + 1);
  return close < 0 ? undefined : { text: line.slice(start + 1, close), end: close + 1 };
}

function readQuoted(line: string, start: number, quote: string): { text: string; end: number } | undefined {
  const pieces: string[] = [];
  let at = start + 1;
  let from = at;
  while (at < line.length && line.charAt(at) !== quote) {
    if (line.charAt(at) !== '\\') {
      at += 1;
      continue;
    }
    const escaped = readEscapes(line, at);
    pieces.push(line.slice(from, at), escaped.text);
    at = escaped.end;
    from = at;
  }
  pieces.push(line.slice(from, at));
  return at < line.length ? { text: pieces.join(''), end: at + 1 } : undefined;
}

/**
 * Reads a run of backslashes and the character it escapes. Before `${` the run is kept for the references, which are
 * resolved later.
 */
function readEscapes(line: string, start: number): { text: string; end: number } {
  let end = start;
  while (line.charAt(end) === '\\') end += 1;
  const run = line.slice(start, end);
  if (line.slice(end, end + 2) === '${') return { text: run, end };
  const half = run.slice(0, Math.floor(run.length / 2));
  if (run.length % 2 === 0) return { text: half, end };
  const next = line.charAt(end);
  const text = ESCAPES[next] ?? (ESCAPABLE.indexOf(next) >= 0 ? next : `\\${next}`);
  return { text: half + text, end: end + 1 };
}

function requireClosed(line: string, start: number, value: { text: string; end: number } | undefined) {
  if (value === undefined) {
    throw new ValidationError([
      {
        message: `The quote opened at position ${start + 1} is not closed.`,
        hint: `Add the closing ${line.charAt(start)}, or quote the value with another of " ' \`.`,
      },
    ]);
  }
  if (value.end < line.length && !SPACE.test(line.charAt(value.end))) {
    throw new ValidationError([
      {
        message: `There is text directly after the closing quote at position ${value.end}.`,
        hint: 'Put a space after the quote, or write a quote inside the value as \\".',
      },
    ]);
  }
  return value;
}
