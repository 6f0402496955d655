/** Parses war-room lines and the options of the terminal. The only importer of yargs-parser. */
import parse from 'yargs-parser';
import { UsageError, ValidationError } from '../core/errors.ts';
import { type Invocation, type Pair, type Token, tokenize } from '../runtime/arguments/lexer.ts';
import { didYouMean } from '../runtime/arguments/suggest.ts';

// By default the parser turns ids into numbers, dots into objects and names into camel case.
const AS_TYPED = {
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'short-option-groups': false,
  'duplicate-arguments-array': true,
  'flatten-duplicate-arrays': true,
  'greedy-arrays': false,
  'nargs-eats-options': false,
} as const;

const RESERVED = new Set(['_', '__proto__', 'constructor', 'prototype']);

/**
 * Parses a line such as `!aisec-runtime-scan profile_name=prod prompt="hello"`.
 * @throws ValidationError for a line that cannot be split
 */
export function parseLine(line: string): Invocation {
  const text = line.trim().replace(/^!/, '');
  const [first, ...rest] = tokenize(text);
  if (first === undefined) throw new UsageError('The line is empty.', { hint: 'Type a command, such as !aisec-...' });
  if (first.name !== undefined) {
    throw new UsageError('The line does not start with a command.', { hint: 'Write !command name=value ...' });
  }
  return invocationOf(first.value, rest);
}

/**
 * Parses words that a shell has already split: `name=value` pairs, and positional words. @throws ValidationError for a
 * name that no argument can have
 */
export function parseWords(name: string, words: readonly string[]): Invocation {
  const tokens = words.map((word): Token => {
    const at = word.search(/[=\s]/);
    const isNamed = at > 0 && word.charAt(at) === '=';
    return isNamed ? { name: word.slice(0, at), value: word.slice(at + 1) } : { value: word };
  });
  return invocationOf(name.replace(/^!/, ''), tokens);
}

function invocationOf(name: string, words: readonly Token[]): Invocation {
  const named = words.flatMap((word) => (word.name === undefined ? [] : [{ name: word.name, value: word.value }]));
  const positionals = words.filter((word) => word.name === undefined).map(({ value }) => value);
  return { name, pairs: parsePairs(named), positionals, ...(positionals.length > 0 && { words }) };
}

/** Maximum number of pairs, more than any command takes; limited, because joining repeated arguments takes quadratic time. */
const MAX_PAIRS = 500;

/**
 * Groups the pairs by name. Passes each value to the parser in extra quotes: the parser removes exactly one pair, so
 * the content arrives unchanged.
 */
function parsePairs(pairs: readonly { name: string; value: string }[]): Pair[] {
  if (pairs.length > MAX_PAIRS) {
    throw new UsageError(`The line has ${pairs.length} arguments; the limit is ${MAX_PAIRS}.`);
  }
  const bad = pairs.filter(({ name }) => RESERVED.has(name) || name.startsWith('-'));
  if (bad.length > 0) {
    throw new ValidationError(bad.map(({ name }) => ({ argument: name, message: `Unknown argument "${name}".` })));
  }
  const names = [...new Set(pairs.map(({ name }) => name))];
  const words = pairs.map(({ name, value }) => `--${name}="${value}"`);
  const parsed = parse(words, { string: names, configuration: AS_TYPED });
  return names.flatMap((name) => [parsed[name]].flat().map((value) => ({ name, value: String(value) })));
}

export type OptionKind = 'text' | 'flag' | 'number' | 'texts';
export type OptionValue = string | boolean | string[] | undefined;

/** Joins `-` to the option before it: the parser does not accept `-`, the name of standard input, as a value. */
function withDashes(argv: readonly string[], spec: Readonly<Record<string, OptionKind>>): string[] {
  const words: string[] = [];
  const end = argv.indexOf('--');
  for (const [at, word] of argv.entries()) {
    const before = words.at(-1) ?? '';
    const kind = spec[before.replace(/^--/, '')];
    const isValue = word === '-' && before.startsWith('--') && kind !== undefined && kind !== 'flag';
    if (isValue && (end < 0 || at < end)) words[words.length - 1] = `${before}=-`;
    else words.push(word);
  }
  return words;
}

/**
 * Parses the options of the terminal.
 * @param spec the known options, without their dashes
 * @throws UsageError for an unknown or repeated option, or a missing value
 */
export function parseOptions(
  argv: readonly string[],
  spec: Readonly<Record<string, OptionKind>>,
): { values: Record<string, OptionValue>; positionals: string[] } {
  const names = Object.keys(spec);
  const flags = names.filter((name) => spec[name] === 'flag');
  const parsed = parse(withDashes(argv, spec), {
    boolean: flags,
    string: names.filter((name) => spec[name] !== 'flag'),
    configuration: { ...AS_TYPED, 'populate--': true },
  });
  const values: Record<string, OptionValue> = {};
  for (const [name, value] of Object.entries(parsed)) {
    if (name === '_' || name === '--' || value === undefined) continue;
    values[name] = optionValue(name, value, spec, argv);
  }
  return { values, positionals: [...parsed._, ...(parsed['--'] ?? [])].map(String) };
}

function optionValue(
  name: string,
  value: unknown,
  spec: Readonly<Record<string, OptionKind>>,
  argv: readonly string[],
): OptionValue {
  const kind = Object.hasOwn(spec, name) ? spec[name] : undefined;
  const values = [value].flat();
  if (kind === undefined) {
    const typed = argv.some((word) => word.split('=')[0] === `-${name}`) ? `-${name}` : `--${name}`;
    throw new UsageError(`Unknown option ${typed}.`, {
      hint: didYouMean(name, Object.keys(spec), '--'),
      argument: typed,
    });
  }
  if (kind === 'texts') return values.map(String);
  if (values.length > 1) throw new UsageError(`Option --${name} is given more than once.`);
  if (kind === 'flag') return value === true;
  const text = String(value);
  if (text === '') throw new UsageError(`Option --${name} needs a value.`);
  if (kind === 'number' && !/^\d+(\.\d+)?$/.test(text)) {
    throw new UsageError(`Option --${name} needs a number.`, { hint: `For example --${name} 30.` });
  }
  return text;
}
