/**
 * Parses JSON that users type. The engine's parser is not used, because its error messages repeat the value and lack
 * a position. The scanner finds the first syntax error, a duplicate key and a key that could reach a prototype, without
 * recursion.
 */

import { MAX_DEPTH, MAX_EXACT } from './json.ts';

export interface JsonSyntaxError {
  /** Counted from 1. */
  line: number;
  column: number;
  message: string;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;

/** Limits of a JSON text. */
export interface JsonBounds {
  readonly length: number;
  /** Members and elements. */
  readonly values: number;
  /** Rejected keys. */
  readonly forbidden: readonly string[];
  /** Accept lone surrogates, as `JSON.parse` does. */
  readonly halves?: boolean;
  /** Let numbers beyond 2^53 lose digits, as `JSON.parse` does. */
  readonly rounds?: boolean;
}

const TYPED: JsonBounds = { length: 1_000_000, values: 50_000, forbidden: ['__proto__', 'constructor', 'prototype'] };
/** Limits for a server: parsing a larger text would delay other requests. */
export const RECEIVED: JsonBounds = { length: 10_000_000, values: 50_000, forbidden: ['__proto__', 'prototype'] };
/** The message for a duplicate key. */
export const TWICE = 'this key is given twice';
const HALF_PAIR = 'half of a surrogate pair';
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

interface Frame {
  object: boolean;
  keys: Record<string, true>;
}

class ScanError extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Returns the message for a value with too many members and elements. */
export function tooManyValues(most: number): string {
  return `the value has more than ${most} members and elements`;
}

/** Parses a JSON text. @returns the value, or the first syntax error */
export function parseJsonText(
  text: string,
  bounds: JsonBounds = TYPED,
): { value: unknown } | { error: JsonSyntaxError } {
  try {
    if (text.length > bounds.length) throw new ScanError(0, `the text is longer than ${bounds.length} characters`);
    scan(text, bounds);
    return { value: JSON.parse(text) };
  } catch (thrown) {
    const error = thrown instanceof ScanError ? thrown : new ScanError(0, 'the text cannot be read');
    const before = text.slice(0, error.at).split('\n');
    return {
      error: { line: before.length, column: (before[before.length - 1] ?? '').length + 1, message: error.message },
    };
  }
}

function scan(text: string, bounds: JsonBounds): void {
  const stack: Frame[] = [];
  let at = space(text, 0);
  let values = 0;
  let expected: 'value' | 'first' | 'key' | 'next' = 'value';
  for (;;) {
    const frame = stack[stack.length - 1];
    const c = text.charAt(at);
    if (expected === 'next') {
      if (frame === undefined) {
        if (at < text.length) throw new ScanError(at, 'there is text after the end of the JSON value');
        return;
      }
      if (c === ',') expected = frame.object ? 'key' : 'value';
      else if (c === (frame.object ? '}' : ']')) stack.pop();
      else throw new ScanError(at, `expected "," or "${frame.object ? '}' : ']'}"`);
      at = space(text, at + 1);
    } else if (expected === 'first' && c === (frame?.object ? '}' : ']')) {
      stack.pop();
      expected = 'next';
      at = space(text, at + 1);
    } else if (frame?.object && expected !== 'value') {
      at = key(text, at, frame, bounds);
      expected = 'value';
    } else if (values >= bounds.values) {
      throw new ScanError(at, tooManyValues(bounds.values));
    } else if (c === '{' || c === '[') {
      values += 1;
      if (stack.length >= MAX_DEPTH) throw new ScanError(at, `the value is nested deeper than ${MAX_DEPTH} levels`);
      stack.push({ object: c === '{', keys: Object.create(null) as Record<string, true> });
      expected = 'first';
      at = space(text, at + 1);
    } else {
      values += 1;
      at = space(text, scalar(text, at, bounds));
      expected = 'next';
    }
  }
}

function key(text: string, at: number, frame: Frame, bounds: JsonBounds): number {
  if (text.charAt(at) !== '"') throw new ScanError(at, 'expected a key in double quotes');
  const end = stringEnd(text, at, bounds);
  const name = String(JSON.parse(text.slice(at, end)));
  if (bounds.forbidden.indexOf(name) >= 0) throw new ScanError(at, `the key ${name} is not allowed`);
  if (frame.keys[name]) throw new ScanError(at, TWICE);
  frame.keys[name] = true;
  const colon = space(text, end);
  if (text.charAt(colon) !== ':') throw new ScanError(colon, 'expected ":" after the key');
  return space(text, colon + 1);
}

function scalar(text: string, at: number, bounds: JsonBounds): number {
  const c = text.charAt(at);
  if (c === '') throw new ScanError(at, 'the text ends too early');
  if (c === '"') return stringEnd(text, at, bounds);
  const literal = LITERALS[c];
  if (literal !== undefined && text.slice(at, at + literal.length) === literal) return at + literal.length;
  const digits = NUMBER.exec(text.slice(at, at + 400));
  if (digits !== null && digits[0] !== '') {
    if (Math.abs(Number(digits[0])) === Number.POSITIVE_INFINITY) throw new ScanError(at, 'this number is too large');
    if (bounds.rounds !== true && losesDigits(digits[0])) {
      throw new ScanError(at, 'this number has more digits than a number keeps; write it as a text');
    }
    return at + digits[0].length;
  }
  throw new ScanError(
    at,
    'expected a value: an object, an array, a text in double quotes, a number, true, false or null',
  );
}

/** Every program rounds fractions below 2^53 in the same way. */
function losesDigits(text: string): boolean {
  const value = Number(text);
  return Math.abs(value) > MAX_EXACT && significant(text) !== significant(String(value));
}

function significant(number: string): string {
  return number
    .replace(/[eE].*$/, '')
    .replace('.', '')
    .replace(/^-?0*|0+$/g, '');
}

function stringEnd(text: string, start: number, { halves = false }: JsonBounds): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code < 32) throw new ScanError(at, 'a text holds a line break or a control character; write \\n instead');
    if (code === 92) at = escapeEnd(text, at, halves);
    else if (!halves && code >= 0xd800 && code <= 0xdfff) at = pairEnd(text, at, code);
  }
  throw new ScanError(start, 'the text opened here is not closed');
}

function escapeEnd(text: string, at: number, halves: boolean): number {
  const next = text.charAt(at + 1);
  if (next !== 'u') {
    if (next === '' || '"\\/bfnrt'.indexOf(next) < 0) throw new ScanError(at, 'this backslash escape does not exist');
    return at + 1;
  }
  const hex = text.slice(at + 2, at + 6);
  if (!/^[0-9a-fA-F]{4}$/.test(hex)) throw new ScanError(at, 'expected four hexadecimal digits after \\u');
  const code = Number.parseInt(hex, 16);
  if (halves) return at + 5;
  if (code >= 0xdc00 && code <= 0xdfff) throw new ScanError(at, HALF_PAIR);
  if (code < 0xd800 || code > 0xdbff) return at + 5;
  if (!/^\\u[dD][c-fC-F][0-9a-fA-F]{2}$/.test(text.slice(at + 6, at + 12))) throw new ScanError(at, HALF_PAIR);
  return at + 11;
}

function pairEnd(text: string, at: number, code: number): number {
  const next = text.charCodeAt(at + 1);
  if (code > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) throw new ScanError(at, HALF_PAIR);
  return at + 1;
}

function space(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\n\r'.indexOf(text.charAt(at)) >= 0) at += 1;
  return at;
}
