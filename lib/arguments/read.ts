/** From an invocation to the values that a handler receives. Every problem of a line is reported at once. */
import { type Problem, ValidationError } from '../errors.ts';
import { DEEPEST, isDeeper } from '../json.ts';
import { check } from './checks.ts';
import { GENERIC_NAMES, type Generic, readGeneric } from './generic.ts';
import { parseValue, wireValue } from './kinds.ts';
import type { Invocation } from './lexer.ts';
import { resolveReferences } from './references.ts';
import type { Rule } from './rules.ts';
import { didYouMean } from './suggest.ts';
import type { Argument, Arguments } from './words.ts';

export interface World {
  /** Undefined: there is nothing to replace. */
  readonly context?: unknown;
  readonly secretSource?: ((kind: 'env' | 'file', name: string) => string | undefined) | undefined;
}

export interface ReadArguments {
  /** For the handler, as they travel. */
  readonly values: Readonly<Record<string, unknown>>;
  /** As the user means them: neutral tokens, for results that repeat an argument. */
  readonly typed: Readonly<Record<string, unknown>>;
  readonly generic: Generic;
}

interface Declared {
  readonly name: string;
  readonly args: Arguments;
  readonly rules?: readonly Rule[];
}

/**
 * Reads the arguments of a command.
 * @throws ValidationError with all problems of the line
 */
export function readArguments(command: Declared, invocation: Invocation, world: World): ReadArguments {
  const problems: Problem[] = [];
  const given = resolve(collect(command, invocation, problems), command.args, world, problems);
  const generic = readGeneric(given, problems);
  const typed = parseAll(command.args, given, problems);
  for (const problem of check(command.args, typed)) problems.push(problem);
  for (const rule of command.rules ?? []) {
    const problem = rule.check(typed);
    if (problem !== undefined && !problems.some(({ argument }) => argument === problem.argument))
      problems.push(problem);
  }
  if (problems.length > 0) throw new ValidationError(problems, { command: command.name });
  const values: Record<string, unknown> = {};
  for (const [name, argument] of Object.entries(command.args)) values[name] = wireValue(argument, typed[name]);
  return { values, typed, generic };
}

function collect(command: Declared, invocation: Invocation, problems: Problem[]): Record<string, unknown> {
  const names = Object.keys(command.args);
  const given: Record<string, unknown> = {};
  for (const { name, value } of withPositionals(command, invocation, problems)) {
    if (names.indexOf(name) < 0 && GENERIC_NAMES.indexOf(name) < 0) {
      problems.push(unknown(name, command));
    } else if (given[name] === undefined) {
      given[name] = value;
    } else if (command.args[name]?.kind === 'list' && typeof given[name] === 'string' && typeof value === 'string') {
      given[name] = `${given[name]},${value}`;
    } else {
      problems.push({ argument: name, message: `${name} is given more than once.` });
    }
  }
  return given;
}

function unknown(name: string, { name: command, args }: Declared): Problem {
  const names = Object.keys(args);
  const near = didYouMean(name, names);
  const hint = near ?? (names.length === 0 ? 'It takes none.' : `It takes ${names.join(', ')}.`);
  // It may be the second word of a secret that was not quoted.
  if (near === undefined && !/^[a-z_-]{1,30}$/.test(name) && keepsSecrets(args))
    return { message: `${command} has no argument of that name.`, hint };
  return { argument: name, message: `${command} has no argument "${name.slice(0, 60)}".`, hint };
}

function keepsSecrets(args: Arguments): boolean {
  return Object.values(args).some(({ secret: isSecret }) => isSecret === true);
}

function withPositionals({ name, args }: Declared, invocation: Invocation, problems: Problem[]) {
  const { pairs, positionals } = invocation;
  const declared = Object.keys(args).filter((key) => args[key]?.positional === true)[0];
  // Beside its own name, a bare word is the second word of a value that was not quoted.
  const target = pairs.some((pair) => pair.name === declared) ? undefined : declared;
  const [first, ...others] = positionals;
  const hint = 'Write name=value, and quote a value that holds spaces: name="two words".';
  for (const extra of target === undefined ? positionals : others) {
    // It may be the second word of a secret that was not quoted.
    const what = keepsSecrets(args) ? 'A value without a name' : `"${extra.slice(0, 60)}"`;
    problems.push({ message: `${what} belongs to no argument of ${name}.`, hint });
  }
  return first === undefined || target === undefined ? pairs : [{ name: target, value: first }, ...pairs];
}

function resolve(
  given: Readonly<Record<string, unknown>>,
  args: Arguments,
  world: World,
  problems: Problem[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (isDeeper(value, DEEPEST)) problems.push({ argument: name, message: `${name} ${TOO_DEEP}.` });
    else if (typeof value !== 'string') values[name] = value;
    else if (args[name]?.secret === true && /^@(env|file):/.test(value))
      values[name] = secret(name, value, world, problems);
    else values[name] = world.context === undefined ? value : referenced(name, value, world.context, problems);
  }
  return values;
}

const TOO_DEEP = `is nested deeper than ${DEEPEST} levels`;

function referenced(name: string, value: string, context: unknown, problems: Problem[]): unknown {
  return resolveReferences(value, context, (reference, tooDeep) => {
    const message = tooDeep ? `finds what ${TOO_DEEP}` : 'finds nothing in the context';
    problems.push({
      argument: name,
      message: `${name}: \${${reference}} ${message}.`,
      hint: 'Run the command that fills it first, or write \\${ for the text itself.',
    });
  });
}

function secret(name: string, value: string, { secretSource }: World, problems: Problem[]): string | undefined {
  const kind = value.startsWith('@env:') ? 'env' : 'file';
  const source = value.slice(kind.length + 2);
  const found = secretSource?.(kind, source);
  if (found === undefined) {
    const what = kind === 'env' ? `environment variable ${source} is not set` : `file ${source} cannot be read`;
    problems.push({ argument: name, message: `${name}: ${what}.` });
  }
  return found;
}

function parseAll(args: Arguments, given: Readonly<Record<string, unknown>>, problems: Problem[]) {
  const values: Record<string, unknown> = {};
  for (const [name, argument] of Object.entries(args)) {
    const value = isEmpty(given[name]) ? argument.default : given[name];
    if (value === undefined) {
      if (argument.required === true) problems.push(missing(name, argument, given[name] !== undefined));
      continue;
    }
    const parsed = parseValue(name, argument, value);
    if ('problem' in parsed) problems.push(parsed.problem);
    else values[name] = parsed.value;
  }
  return values;
}

// Inputs of playbooks are often empty; an empty one is one that was not given. Only null text clears, where declared.
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function missing(name: string, argument: Argument, empty: boolean): Problem {
  const message = empty ? `The required argument ${name} is empty.` : `The required argument ${name} is missing.`;
  return { argument: name, message, hint: `${name}: ${argument.description}` };
}
