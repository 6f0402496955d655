/** How a subcommand runs commands for itself. */
import type { Invocation } from '../../arguments/lexer.ts';
import type { Ask } from '../../ask.ts';
import { objectOf, objectsOf } from '../../json.ts';
import type { TerminalHost } from './host.ts';
import type { Session } from './session.ts';

/** Commands whose results are kept whole, and that do what they say even where the program rehearses. */
export function asking(host: TerminalHost, session: Session, signal: AbortSignal): Ask {
  return async (name, args) => {
    const [{ dispatch }, runtime] = await Promise.all([import('../../dispatch.ts'), session.runtime(signal)]);
    const pairs = Object.entries(args).map(([argument, value]) => ({ name: argument, value }));
    const invocation: Invocation = { name, pairs, positionals: [] };
    const limited = { ...runtime, dryRun: false, contextLimit: Number.POSITIVE_INFINITY };
    const { writes, simulated } = await dispatch(invocation, host.registry, limited);
    const value = writes[0]?.value;
    return { record: objectOf(value), records: objectsOf(value), simulated };
  };
}
