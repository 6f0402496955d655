import type { Invocation } from '../arguments/lexer.ts';
import type { Result } from '../result.ts';
import type { HostCallOptions } from './types.ts';

/** Options of one invocation, beyond those of its caller. */
export interface InvocationOptions extends HostCallOptions {
  /** Values such as `@env:NAME` name the sources of secrets. Default: true; values from a context are plain data. */
  readonly secretSources?: boolean;
}

/** Runs one invocation. @param context for `${...}` references; undefined: arguments have none */
export type RunInvocation = (
  invocation: Invocation,
  options: InvocationOptions,
  context?: Readonly<Record<string, unknown>>,
) => Promise<Result>;

/** Creates an invocation from typed values. */
export function invocationOf(name: string, args: object): Invocation {
  const pairs = Object.entries(args).filter(([, value]) => value !== undefined);
  return {
    name: name.trim().replace(/^!/, ''),
    pairs: pairs.map(([key, value]) => ({ name: key, value: value as unknown })),
    positionals: [],
  };
}

/** Parses a line. */
export async function parsed(text: string): Promise<Invocation> {
  const { parseLine } = await import('../arguments/argv.ts');
  return parseLine(text);
}
