import { mergeContext } from '../output/merge.ts';
import type { Result } from '../result.ts';
import { invocationOf, parsed, type RunInvocation } from './invocation.ts';
import { structured } from './result.ts';
import type { Session } from './types.ts';

/** Opens a session: results are merged into its context in order of completion. */
export function openSession<Commands extends object>(
  run: RunInvocation,
  start: Readonly<Record<string, unknown>>,
): Session<Commands> {
  let context = start;
  const merged = (result: Result) => {
    context = mergeContext(context, result.writes);
    return structured(result);
  };
  return {
    get context() {
      return context;
    },
    // Typed values are data, so references in them are not resolved.
    run: async (name: string, ...[args, call]: readonly unknown[]) =>
      merged(await run(invocationOf(name, args === undefined ? {} : args), call ?? {})) as never,
    line: async (text, call = {}) => merged(await run(await parsed(text), call, context)),
  };
}
