/** Decides about tools of the Vercel AI SDK: before they run, with the input that they run with, and before their result is used. */
import type { AdapterOptions, Decision, Guard } from '../../types.ts';
import { contextWith } from '../whole.ts';
import { SERVER, withErrorsRead } from './parts.ts';

type Asked = (input: unknown, options?: unknown) => unknown;

/** The context is that of a call, by its options. */
export type ToolOptions = AdapterOptions;

/**
 * Wraps tools that run in this process: the input is decided about before a tool runs, its result or error before anything reads
 * it. A blocked call or result becomes an error with the guard's message, which the model reads. Tools without `execute` stay.
 * Of results that a tool yields one after the other, only the last is passed on.
 * @returns tools of the same types
 */
export function guardTools<const Tools extends Readonly<Record<string, object>>>(
  guard: Guard,
  tools: Tools,
  options: ToolOptions = {},
): Tools {
  const guarded = Object.entries(tools).map(([name, tool]) => [name, guardTool(guard, name, tool, options)]);
  return Object.fromEntries(guarded) as Tools;
}

function guardTool(guard: Guard, name: string, tool: object, { context: contextOf }: ToolOptions): object {
  const { execute } = tool as { readonly execute?: unknown };
  if (typeof execute !== 'function') return tool;
  const run = execute as Asked;
  const guarded = async (input: unknown, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown> => {
    const signal = options?.abortSignal;
    const context = contextWith(contextOf?.(options), signal);
    const allowed = async (deciding: Promise<Decision>) => {
      const decision = await deciding;
      signal?.throwIfAborted();
      // A masked text would be no result of the tool's type.
      if (decision.action !== 'allow') throw new Error(guard.message(decision));
    };
    const event = { server: SERVER, tool: name };
    const read = (output: unknown) => allowed(guard.tool({ ...event, output }, context));
    await allowed(guard.tool({ ...event, input: input ?? {} }, context));
    const output = await lastOf(() => run.call(tool, input, options)).catch(async (thrown: unknown) => {
      await read(withErrorsRead(thrown) ?? '');
      throw thrown;
    });
    if (output !== undefined) await read(output);
    return output;
  };
  return Object.assign(Object.create(Object.getPrototypeOf(tool) as object | null) as object, tool, {
    execute: guarded,
  });
}

/** Returns a result, or the last of results that come one after the other. */
async function lastOf(run: () => unknown): Promise<unknown> {
  const result = await run();
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const each of result as AsyncIterable<unknown>) last = each;
  return last;
}
