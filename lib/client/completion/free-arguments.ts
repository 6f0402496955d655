/** Finds the arguments that a line can still take. */
import type { ArgumentInfo } from '../../manifest/catalogue.ts';
import { alternativesOf } from '../../runtime/arguments/generic.ts';

export interface FreeArguments {
  /** Required arguments that the line lacks. */
  readonly missing: readonly ArgumentInfo[];
  /** The missing arguments, and their alternatives, in the order of the command. */
  readonly required: readonly ArgumentInfo[];
  readonly optional: readonly ArgumentInfo[];
}

/** Sorts the arguments of a command that a line does not have yet. @param present names of those that it has */
export function freeArguments(known: readonly ArgumentInfo[], present: ReadonlySet<string>): FreeArguments {
  const isReplaced = (argument: ArgumentInfo) => alternativesOf(argument).some((name) => present.has(name));
  // A single alternative replaces its argument; alternatives in a list may also be given with it.
  const free = (argument: ArgumentInfo) =>
    !present.has(argument.name) && (typeof argument.unless !== 'string' || !isReplaced(argument));
  const missing = known.filter((argument) => argument.required && free(argument) && !isReplaced(argument));
  // Offer the alternatives to a required argument next to it.
  const stands = (argument: ArgumentInfo) => missing.some((one) => alternativesOf(one).includes(argument.name));
  const required = known.filter((argument) => missing.includes(argument) || stands(argument));
  const optional = known.filter((argument) => !required.includes(argument) && free(argument));
  return { missing, required, optional };
}
