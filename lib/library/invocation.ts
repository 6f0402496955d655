import type { Invocation } from '../arguments/lexer.ts';
import type { Result } from '../result.ts';
import type { CallOptions } from './types.ts';

/** Runs one invocation. @param context undefined where nothing is to be replaced */
export type RunInvocation = (
  invocation: Invocation,
  options: CallOptions,
  context?: Readonly<Record<string, unknown>>,
) => Promise<Result>;

/** An invocation of typed values. */
export function invocationOf(name: string, args: object): Invocation {
  const pairs = Object.entries(args).filter(([, value]) => value !== undefined);
  return {
    name: name.trim().replace(/^!/, ''),
    pairs: pairs.map(([key, value]) => ({ name: key, value: value as unknown })),
    positionals: [],
  };
}

/** Takes a line apart. */
export async function parsed(text: string): Promise<Invocation> {
  const { parseLine } = await import('../arguments/argv.ts');
  return parseLine(text);
}
