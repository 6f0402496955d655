import { ValidationError } from '../core/errors.ts';
import { isObject, present } from '../core/json.ts';
import type { Invocation } from '../runtime/arguments/lexer.ts';
import type { Result } from '../runtime/output/result.ts';
import type { HostCallOptions } from './types.ts';

/** Options of one invocation, in addition to the caller's. */
export interface InvocationOptions extends HostCallOptions {
  /** Values such as `@env:NAME` name the sources of secrets. Default: true; values from a context are plain data. */
  readonly secretSources?: boolean;
}

/** Runs one invocation. @param context for `${...}` references; undefined if arguments have no references */
export type RunInvocation = (
  invocation: Invocation,
  options: InvocationOptions,
  context?: Readonly<Record<string, unknown>>,
) => Promise<Result>;

/** Creates an invocation from typed values. @throws ValidationError if they are not an object */
export function invocationOf(name: unknown, args: unknown): Invocation {
  // JavaScript callers may pass anything.
  if (typeof name !== 'string') {
    const hint = 'Such as run("aisec-runtime-topics-list").';
    throw new ValidationError([{ message: 'The name of the command must be a text.', hint }]);
  }
  if (!isObject(args)) {
    const hint = 'Such as run(name, { limit: 10 }); without any: run(name).';
    throw new ValidationError([{ message: 'The arguments must be an object.', hint }]);
  }
  const given = Object.entries(present(args));
  const pairs = given.map(([key, value]) => ({ name: key, value }));
  return { name: name.trim().replace(/^!/, ''), pairs, positionals: [] };
}

/** Parses a line. */
export async function parsed(text: string): Promise<Invocation> {
  const { parseLine } = await import('./argv.ts');
  return parseLine(text);
}
