/** Parses lines and typed values with a declaration that is in no registry. */
import { parseLine } from '../../../lib/client/argv.ts';
import { ValidationError } from '../../../lib/core/errors.ts';
import type { Argument, Arguments } from '../../../lib/runtime/arguments/builders.ts';
import { type ArgumentSources, readArguments } from '../../../lib/runtime/arguments/read.ts';
import type { Rule } from '../../../lib/runtime/arguments/rules.ts';

/** Name of the command in every line. */
export const NAME = 'aisec-test';

/** A value that no error may repeat. */
export const CANARY = 'canary-5ecret';

interface ReadOptions extends Partial<ArgumentSources> {
  rules?: readonly Rule[];
}

/** Parses a line, given without the name of its command. */
export function read(
  rest: string,
  args: Arguments,
  { rules = [], context = {}, secretSource }: ReadOptions = {},
): ReturnType<typeof readArguments> {
  return readArguments({ name: NAME, args, rules }, parseLine(`!${NAME} ${rest}`), { context, secretSource });
}

type Pairs = readonly (readonly [name: string, value: unknown])[];

/** Parses typed values, as a playbook passes them. */
export function readPairs(
  args: Arguments,
  pairs: Pairs,
  { rules = [], ...runtime }: ReadOptions = {},
): ReturnType<typeof readArguments> {
  const invocation = { name: NAME, pairs: pairs.map(([name, value]) => ({ name, value })), positionals: [] };
  return readArguments({ name: NAME, args, rules }, invocation, { context: {}, ...runtime });
}

/** Parses one typed value. */
export function readTyped(argument: Argument, value: unknown): unknown {
  return readPairs({ a: argument }, [['a', value]]).values['a'];
}

/** Returns the ValidationError that a function throws. */
export function refusal(run: () => unknown): ValidationError {
  try {
    run();
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
  throw new Error('A ValidationError was expected.');
}

/** Returns the problem messages for which a line is refused. */
export function problemsOf(rest: string, args: Arguments, options?: ReadOptions): string[] {
  return refusal(() => read(rest, args, options)).problems.map(({ message }) => message);
}
