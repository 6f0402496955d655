import { mergeContext } from '../output/merge.ts';
import type { Result } from '../result.ts';
import { invocationOf, parsed, type RunInvocation } from './invocation.ts';
import { structured } from './result.ts';
import type { Session } from './types.ts';

/** Opens a session: results are merged into its context in the order in which they end. */
export function openSession<Commands extends object>(
  run: RunInvocation,
  start: Readonly<Record<string, unknown>>,
): Session<Commands> {
  let context = start;
  const kept = (result: Result) => {
    context = mergeContext(context, result.writes);
    return structured(result);
  };
  return {
    get context() {
      return context;
    },
    // Typed values are data: nothing in them is replaced from the context.
    run: async (name: string, ...[args, call]: readonly unknown[]) =>
      kept(await run(invocationOf(name, args ?? {}), call ?? {})) as never,
    line: async (text, call = {}) => kept(await run(await parsed(text), call, context)),
  };
}
