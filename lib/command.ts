/**
 * The words of a declaration. A command is declared once, beside its siblings; parsing, checks, help, manifest,
 * dry run, retry, context and table all follow from what is said here.
 */

import type { Call, ListCall } from './api/call.ts';
import type { Rule } from './arguments/rules.ts';
import type { Arguments, Given } from './arguments/words.ts';
import type { Job } from './job.ts';
import type { Tools } from './tools.ts';

export type { Tools } from './tools.ts';

import type { Output, Wire } from './output/record.ts';

/**
 * What a command does to the service. `read` changes nothing: it may be repeated, and a dry run makes it.
 * `run` starts work there, such as a scan. Everything else is stopped by a dry run and never repeated blindly.
 */
export type Effect = 'read' | 'create' | 'update' | 'replace' | 'delete' | 'run';

interface Common<A extends Arguments> {
  effect: Effect;
  /** Reaches a system other than the service: a target under test, its sign-in, a script, a store of models. */
  outside?: boolean;
  /** May be sent again when the outcome is unknown. Default: only what reads. */
  repeatable?: boolean;
  args: A;
  /** Conditions that tie arguments together. */
  rules?: readonly Rule[];
  output: Output;
  /** What to do next after an error status, where this command knows better than the general table. */
  hints?: Readonly<Partial<Record<number, string>>>;
  /** Arguments of the example in the reference, as they are typed. */
  example?: string;
  /** Work that goes on after the answer. */
  job?: Job<Given<A>>;
  /** What a run uses up, for a dry run, such as `One scan.` */
  consumes?: string;
  /** Sentences that the answer itself calls for, such as a warning that an empty answer means a wrong name. */
  remarks?: (wire: Wire, args: Given<A>) => readonly (string | undefined)[];
}

/** One request, declared. */
export interface Declared<A extends Arguments> extends Common<A> {
  /** @param now milliseconds since the epoch, for times that are told as how long ago */
  call: (args: Given<A>, now: number) => Call | ListCall;
}

/** Several requests: a function that returns what the service would have said, for the output to shape. */
export interface Composed<A extends Arguments> extends Common<A> {
  run: (args: Given<A>, tools: Tools) => Promise<Wire | readonly Wire[]>;
}

/** Nothing but a job: work in slices. */
export interface Sliced<A extends Arguments> extends Common<A> {
  job: Job<Given<A>>;
}

/** A declared command with its types erased: what the registry holds and the dispatcher runs. */
export interface Command extends Common<Arguments> {
  readonly name: string;
  readonly summary: string;
  readonly call?: (args: Given<Arguments>, now: number) => Call | ListCall;
  readonly run?: (args: Given<Arguments>, tools: Tools) => Promise<Wire | readonly Wire[]>;
}

/** Command names and how to get at their declarations, without loading them. */
export type Registry = Readonly<Record<string, () => Promise<Command>>>;

/** Declares a command. */
export function command<const A extends Arguments>(
  name: `aisec-${string}`,
  summary: string,
  declaration: Declared<A> | Composed<A> | Sliced<A>,
): Command {
  // The handler reads only what its own arguments declare, and the checks make them so: erasing the types loses nothing.
  return { name, summary, ...(declaration as unknown as Common<Arguments>) };
}
