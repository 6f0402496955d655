/** Reads from an invocation the values that a handler receives. One error reports all problems of a line. */
import { type Problem, ValidationError } from '../../core/errors.ts';
import { isDeeper, MAX_DEPTH } from '../../core/json.ts';
import type { SecretKind } from '../../core/ports.ts';
import { hasHalf } from '../../core/text/utf8.ts';
import type { Argument, Arguments } from './builders.ts';
import { check } from './checks.ts';
import { alternativesOf, GENERIC_NAMES, type GenericArguments, readGeneric } from './generic.ts';
import { entryFor, parseValue, wireValue } from './kinds.ts';
import type { Invocation } from './lexer.ts';
import { sourceOf } from './masked-line.ts';
import { MAX_CHARACTERS, resolveReferences } from './references.ts';
import type { Rule } from './rules.ts';
import { didYouMean } from './suggest.ts';
import { withPositionals, withUnnamed } from './unnamed.ts';

export interface ArgumentSources {
  /** Defaults that replace the declared defaults, by argument. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Source of references; undefined if the host has already resolved them. */
  readonly context?: unknown;
  readonly secretSource?: ((kind: SecretKind, name: string) => string | undefined) | undefined;
}

export interface ReadArguments {
  /** Values for the handler, with wire values instead of neutral tokens. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Values with neutral tokens, for results that repeat an argument. */
  readonly typed: Readonly<Record<string, unknown>>;
  readonly generic: GenericArguments;
}

/**
 * Maximum number of arguments, far more than any command has. The limit is needed because suggesting a name for each
 * unknown argument takes time.
 */
const MAX_ARGUMENTS = 200;
const MAX_GENERIC_CHARACTERS = 10_000;

interface Declared {
  readonly name: string;
  readonly args: Arguments;
  readonly rules?: readonly Rule[];
}

/**
 * Reads the arguments of a command.
 * @throws ValidationError with all problems of the line
 */
export function readArguments(command: Declared, invocation: Invocation, sources: ArgumentSources): ReadArguments {
  const problems: Problem[] = [];
  if (invocation.pairs.length + invocation.positionals.length > MAX_ARGUMENTS) {
    problems.push({ message: `${command.name} has more than ${MAX_ARGUMENTS} arguments.` });
    throw new ValidationError(problems, { command: command.name });
  }
  const { pairs, extras } = withPositionals(command, invocation);
  const resolved = resolveAll(collect(command, pairs, problems), command.args, sources, problems);
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(resolved)) input[name] = entryFor(command.args[name], value);
  const generic = readGeneric(input, problems);
  const typed = parseAll(command.args, input, problems, sources.defaults);
  for (const problem of check(command.args, typed)) problems.push(problem);
  for (const rule of command.rules ?? []) {
    const problem = rule.check(typed, (name) => !isEmpty(input[name]));
    if (problem !== undefined && !problems.some(({ argument }) => argument === problem.argument))
      problems.push(problem);
  }
  const all = withUnnamed(command, invocation, hasSecrets(command.args), extras, problems);
  if (all.length > 0) throw new ValidationError(all, { command: command.name });
  const values: Record<string, unknown> = {};
  for (const [name, argument] of Object.entries(command.args)) values[name] = wireValue(argument, typed[name]);
  return { values, typed, generic };
}

function collect(command: Declared, pairs: Invocation['pairs'], problems: Problem[]): Record<string, unknown> {
  const names = Object.keys(command.args);
  const input: Record<string, unknown> = {};
  for (const { name, value } of pairs) {
    if (names.indexOf(name) < 0 && GENERIC_NAMES.indexOf(name) < 0) {
      problems.push(unknown(name, command));
    } else if (input[name] === undefined) {
      input[name] = value;
    } else if (command.args[name]?.kind === 'list' && typeof input[name] === 'string' && typeof value === 'string') {
      input[name] = `${input[name]},${value}`;
    } else {
      problems.push({ argument: name, message: `${name} is given more than once.` });
    }
  }
  return input;
}

function unknown(name: string, { name: command, args }: Declared): Problem {
  const names = Object.keys(args);
  const suggestion = didYouMean(name, names);
  const hint = suggestion ?? (names.length === 0 ? 'It takes no arguments.' : `It takes ${names.join(', ')}.`);
  // The unknown name may be part of an unquoted secret.
  if (suggestion === undefined && !/^[a-z_-]{1,30}$/.test(name) && hasSecrets(args))
    return { message: `${command} has no argument of that name.`, hint };
  return { argument: name, message: `${command} has no argument "${name.slice(0, 60)}".`, hint };
}

function hasSecrets(args: Arguments): boolean {
  return Object.values(args).some(({ secret: isSecret }) => isSecret === true);
}

function resolveAll(
  input: Readonly<Record<string, unknown>>,
  args: Arguments,
  sources: ArgumentSources,
  problems: Problem[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const line = { references: 0 };
  for (const [name, value] of Object.entries(input)) {
    const most = GENERIC_NAMES.indexOf(name) < 0 ? MAX_CHARACTERS : MAX_GENERIC_CHARACTERS;
    if (isDeeper(value, MAX_DEPTH)) problems.push({ argument: name, message: `${name} ${TOO_DEEP}.` });
    else if (typeof value !== 'string') values[name] = value;
    else if (value.length > most)
      problems.push({ argument: name, message: `${name} has more than ${most} characters.` });
    else {
      const source = args[name]?.secret === true ? sourceOf(value) : undefined;
      if (source !== undefined) values[name] = secretFrom(name, source, sources, problems);
      else if (sources.context === undefined) values[name] = value;
      else values[name] = resolveReferences(value, sources.context, reporter(name, problems), line);
    }
  }
  return values;
}

const HALF = 'a broken character: half of a surrogate pair';
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

function reporter(name: string, problems: Problem[]) {
  return (reference: string, tooDeep: boolean) => {
    const message = tooDeep ? `refers to a value that ${TOO_DEEP}` : 'finds nothing in the context';
    problems.push({
      argument: name,
      message: `${name}: \${${reference.slice(0, 200)}} ${message}.`,
      hint: 'Run the command that sets it first, or write \\${ for the text itself.',
    });
  };
}

function secretFrom(
  name: string,
  source: NonNullable<ReturnType<typeof sourceOf>>,
  { secretSource }: ArgumentSources,
  problems: Problem[],
): string | undefined {
  const text = secretSource?.(source.kind, source.name);
  if (secretSource === undefined) {
    const message = `${name}: ${source.kind === 'env' ? '@env:' : '@file:'} is not available here.`;
    problems.push({ argument: name, message, hint: 'Give the secret itself.' });
  } else if (text === undefined) {
    const isVariable = source.kind === 'env';
    const what = isVariable ? `environment variable ${source.name} is not set` : `file ${source.name} cannot be read`;
    problems.push({ argument: name, message: `${name}: ${what}.` });
  }
  return text;
}

function parseAll(
  args: Arguments,
  input: Readonly<Record<string, unknown>>,
  problems: Problem[],
  defaults: ArgumentSources['defaults'] = {},
) {
  const values: Record<string, unknown> = {};
  for (const [name, argument] of Object.entries(args)) {
    const standard = argument.default === undefined ? undefined : (defaults[name] ?? argument.default);
    const value = isEmpty(input[name]) ? standard : input[name];
    if (value === undefined) {
      if (argument.required === true && alternativesOf(argument).every((other) => isEmpty(input[other])))
        problems.push(missing(name, argument, input[name] !== undefined));
      continue;
    }
    const parsed = parseValue(name, argument, value);
    if ('problem' in parsed) problems.push(parsed.problem);
    // The service would scan or store another character. Skip values that are rejected anyway, because searching them
    // may take long.
    else if (hasHalf(parsed.value))
      problems.push({ argument: name, message: `${name} has ${HALF}.`, hint: 'Send it whole.' });
    else values[name] = parsed.value;
  }
  return values;
}

// Playbook inputs are often empty, and an empty input counts as missing. Only the text null clears a value, if declared so.
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function missing(name: string, argument: Argument, empty: boolean): Problem {
  const hint = `${name}: ${argument.description}`;
  const others = alternativesOf(argument);
  if (others.length > 0) {
    const message = `Neither ${[name, ...others].join(' nor ')} is given.`;
    return { argument: name, message, hint: `${hint} Or give ${others.join(' or ')}.` };
  }
  return { argument: name, message: `The required argument ${name} is ${empty ? 'empty' : 'missing'}.`, hint };
}
