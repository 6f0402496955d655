/**
 * Types of a declaration. A command is declared once; parsing, checks, help, manifest, dry run, retry, context and
 * table all follow from its declaration.
 */

import { UsageError } from '../../core/errors.ts';
import type { Effect } from '../../core/runtime.ts';
import { isOwn } from '../../core/text/own.ts';
import type { Call, ListCall } from '../api/call.ts';
import type { Arguments, ArgumentValues } from '../arguments/builders.ts';
import type { Rule } from '../arguments/rules.ts';
import { didYouMean } from '../arguments/suggest.ts';
import type { Output, Wire } from '../output/record.ts';
import type { Job } from './job.ts';
import { withPagingArguments } from './paging-arguments.ts';
import type { Tools } from './tools.ts';

export type { Tools } from './tools.ts';

interface Common<A extends Arguments> {
  effect: Effect;
  /** Contacts a system other than the service: a target under test, its sign-in, a script, a model store. */
  outside?: boolean;
  /** May be sent again if the outcome is unknown. Default: only reads. */
  repeatable?: boolean;
  /** The response is a file. */
  returnsFile?: boolean;
  args: A;
  /** Rules about several arguments. */
  rules?: readonly Rule[];
  output: Output;
  /** Hints for error statuses, which replace the general table's hints. */
  hints?: Readonly<Partial<Record<number, string>>>;
  /** Arguments of the example in the reference, as typed. */
  example?: string;
  /** Work that continues after the response. */
  job?: Job<ArgumentValues<A>>;
  /** The cost of a run, which a dry run shows, such as `One scan.` */
  consumes?: string;
  /** Notes that depend on the response, such as that an empty response means a wrong name. */
  notes?: (wire: Wire, args: ArgumentValues<A>) => readonly (string | undefined)[];
}

/** A command of one request. */
export interface Declared<A extends Arguments> extends Common<A> {
  /** @param now milliseconds since the epoch, for relative times */
  call: (args: ArgumentValues<A>, now: number) => Call | ListCall;
}

/** A command of several requests: a function that returns one response for the output to shape. */
export interface Composed<A extends Arguments> extends Common<A> {
  run: (args: ArgumentValues<A>, tools: Tools) => Promise<Wire | readonly Wire[]>;
}

/** A command that only runs a job. */
export interface Sliced<A extends Arguments> extends Common<A> {
  job: Job<ArgumentValues<A>>;
}

/** A declared command with its types erased, for the registry and the dispatcher. */
export interface Command extends Common<Arguments> {
  readonly name: string;
  readonly summary: string;
  readonly call?: (args: ArgumentValues<Arguments>, now: number) => Call | ListCall;
  readonly run?: (args: ArgumentValues<Arguments>, tools: Tools) => Promise<Wire | readonly Wire[]>;
}

/** Loads the declarations of commands by name, on demand. */
export type Registry = Readonly<Record<string, () => Promise<Command>>>;

/** Loads the declaration of a command. The name may be any string. @returns undefined for an unknown name */
export function findCommand(registry: Registry, name: string): Promise<Command> | undefined {
  return isOwn(registry, name) ? registry[name]?.() : undefined;
}

/**
 * Returns the error for an unknown command name. @param near the hint with a similar name @param advice the hint if no
 * name is similar
 */
export function unknownCommand(name: string, near: string | undefined, advice: string): UsageError {
  return new UsageError(`There is no command "${name.slice(0, 80)}".`, { hint: near ?? advice });
}

/**
 * Returns the command if it was found. @param advice where to list all commands @throws UsageError that suggests a
 * similar name
 */
export function needFound(found: Command | undefined, name: string, registry: Registry, advice: string): Command {
  if (found !== undefined) return found;
  const error = unknownCommand(name, didYouMean(name, Object.keys(registry), '!'), advice);
  error.command = name;
  throw error;
}

/** Declares a command. */
export function command<const A extends Arguments>(
  name: `aisec-${string}`,
  summary: string,
  declaration: Declared<A> | Composed<A> | Sliced<A>,
): Command {
  // The checks guarantee the types of the handler's arguments, so erasing them is safe.
  return { name, summary, ...withPagingArguments(declaration as unknown as Common<Arguments>) };
}
