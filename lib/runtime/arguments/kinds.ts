/** Converts typed text to a value of the declared kind. A playbook may pass the value itself. */

import type { Problem } from '../../core/errors.ts';
import { asText } from '../../core/json.ts';
import { parseJsonText } from '../../core/json-text.ts';
import { spellingsOf, toNeutral, toWire } from '../../core/wire.ts';
import type { Argument } from './builders.ts';

export type Parsed = { value: unknown } | { problem: Problem };

/** Maximum entries of a list, as in JSON. */
const MAX_ITEMS = 50_000;
const YES = ['true', 'yes'];
const NO = ['false', 'no'];

/** Parses one argument. @param input text, or a typed value from a context or a playbook */
export function parseValue(name: string, argument: Argument, input: unknown): Parsed {
  if (argument.clearable === true && input === 'null') return { value: null };
  const parsed = PARSERS[argument.kind](name, input);
  if ('problem' in parsed || (argument.tokens === undefined && argument.choices === undefined)) return parsed;
  return { value: mapText(parsed.value, (text) => declaredSpelling(argument, text)) };
}

/**
 * Unwraps a list of one entry for an argument that takes one value: a playbook filter returns a list, even if it keeps
 * one entry. For a file, the list may be JSON text, because some platforms pass it so.
 */
export function entryFor(argument: Argument | undefined, input: unknown): unknown {
  if (argument === undefined || argument.kind === 'list' || argument.kind === 'json') return input;
  const given = argument.kind === 'file' ? listIn(input) : input;
  return Array.isArray(given) && given.length === 1 ? given[0] : given;
}

function listIn(input: unknown): unknown {
  if (typeof input !== 'string' || !/^\s*\["/.test(input)) return input;
  const parsed = parseJsonText(input);
  return 'value' in parsed ? parsed.value : input;
}

/** Converts the neutral tokens of a value to wire values. */
export function wireValue(argument: Argument, value: unknown): unknown {
  const family = argument.tokens;
  return family === undefined ? value : mapText(value, (text) => toWire(family, text));
}

/**
 * Finds the declared spelling of a typed choice: an exact match, or else the only choice that matches it, or its wire
 * value, ignoring case. @returns the neutral token of a wire value; the input itself if no choice, or more than one,
 * matches
 */
function declaredSpelling({ choices, tokens }: Argument, typed: string): string {
  if (choices !== undefined && choices.indexOf(typed) >= 0) return typed;
  const neutral = tokens === undefined ? typed : toNeutral(tokens, typed);
  if (choices === undefined || choices.indexOf(neutral) >= 0) return neutral;
  const folded = typed.toLowerCase();
  const matches = choices.filter((choice) => {
    const spellings = tokens === undefined ? [choice] : spellingsOf(tokens, choice);
    return spellings.some((spelling) => spelling.toLowerCase() === folded);
  });
  return matches.length === 1 ? (matches[0] ?? neutral) : neutral;
}

function mapText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  return Array.isArray(value) ? value.map((item: unknown) => (typeof item === 'string' ? change(item) : item)) : value;
}

const PARSERS: Readonly<Record<Argument['kind'], (name: string, input: unknown) => Parsed>> = {
  text: parseText,
  file: parseText,
  number: parseNumber,
  flag: parseFlag,
  list: parseList,
  json: parseJson,
};

/** Rejects a list: otherwise its JSON would be scanned or stored as if a person had written it. */
function parseText(name: string, input: unknown): Parsed {
  if (!Array.isArray(input)) return { value: asText(input) };
  return invalid(
    name,
    `${name} takes one value, and this is a list of ${input.length}.`,
    'Name one of them, such as ${AiSec.Topic.[0].topic_name}, or run the command once for each.',
  );
}

function parseNumber(name: string, input: unknown): Parsed {
  const text = asText(input).trim();
  const value = Number(text);
  if (/^[+-]?\d{1,15}$/.test(text) && Number.isSafeInteger(value)) return { value };
  return invalid(name, `${name} must be a whole number.`, 'Write digits only, such as 50.');
}

function parseFlag(name: string, input: unknown): Parsed {
  const text = asText(input).trim().toLowerCase();
  if (YES.indexOf(text) >= 0) return { value: true };
  if (NO.indexOf(text) >= 0) return { value: false };
  return invalid(name, `${name} must be true or false.`, 'yes and no are accepted as well, in any case.');
}

function parseList(name: string, input: unknown): Parsed {
  if (Array.isArray(input)) return input.length > MAX_ITEMS ? tooMany(name) : { value: input.map(itemOf) };
  const text = asText(input).trim();
  if (!text.startsWith('[')) {
    const items = text.split(',', MAX_ITEMS + 1);
    if (items.length > MAX_ITEMS) return tooMany(name);
    return { value: items.map((item) => item.trim()).filter((item) => item !== '') };
  }
  const parsed = parseJson(name, text);
  if ('problem' in parsed || Array.isArray(parsed.value)) {
    return 'problem' in parsed ? parsed : { value: (parsed.value as unknown[]).map(itemOf) };
  }
  return invalid(name, `${name} must be a list.`, 'Write comma-separated text, or a JSON array of texts.');
}

function parseJson(name: string, input: unknown): Parsed {
  if (typeof input !== 'string') return { value: input };
  const parsed = parseJsonText(input);
  if ('value' in parsed) return parsed;
  const { line, column, message } = parsed.error;
  const hint = 'In a line, quote JSON with backticks, so that nothing in it needs a backslash.';
  return invalid(name, `${name} is not valid JSON: line ${line}, column ${column}: ${message}.`, hint);
}

function tooMany(name: string): Parsed {
  return invalid(name, `${name} has more than ${MAX_ITEMS} entries.`, 'Send fewer entries in one call.');
}

function itemOf(item: unknown): unknown {
  return typeof item === 'number' || typeof item === 'boolean' ? String(item) : item;
}

function invalid(argument: string, message: string, hint: string): Parsed {
  return { problem: { argument, message, hint } };
}
