/** Runs commands on behalf of a subcommand, and shows their progress. */

import { NotFoundError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';
import { metered, type ShowProgress } from '../../../core/progress.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import { findCommand, type Registry } from '../../../runtime/engine/command.ts';
import { outputOf, type RunCommand } from '../../../runtime/engine/command-port.ts';
import type { Result } from '../../../runtime/output/result.ts';
import type { Session } from '../line/session.ts';
import type { SubcommandContext } from '../line/subcommand.ts';
import type { TerminalHost } from '../ui/host.ts';

interface RunnerOptions {
  /** Arguments are data: no references to the context. */
  readonly literal?: boolean;
  /** Makes the run a dry run, and receives the change that was not sent. It must throw, because there is no output. */
  readonly onPlanned?: ((planned: Result) => Promise<never>) | undefined;
}

/**
 * Creates a `RunCommand` whose results are never truncated. Without `onPlanned`, its commands run even in a dry run.
 */
export function commandRunner(
  host: Pick<TerminalHost, 'registry'>,
  session: Pick<Session, 'runtime' | 'working'>,
  signal: AbortSignal,
  { literal = false, onPlanned }: RunnerOptions = {},
): RunCommand {
  return async (name, args) => {
    const [{ dispatch }, runtime] = await Promise.all([
      import('../../../runtime/engine/dispatch.ts'),
      session.runtime(signal),
    ]);
    const pairs = Object.entries(args).map(([argument, value]) => ({ name: argument, value }));
    const invocation: Invocation = { name, pairs, positionals: [] };
    const limited = { ...runtime, dryRun: onPlanned !== undefined, contextLimit: Number.POSITIVE_INFINITY };
    const { context: _context, ...plain } = limited;
    const end = session.working(name);
    const result = await dispatch(invocation, host.registry, literal ? plain : limited)
      .catch((thrown: unknown) => advised(thrown, invocation, host.registry))
      .finally(end);
    if (result.planned) await onPlanned?.(result);
    return outputOf(result);
  };
}

/** Adds the list command to the error for a missing record. @throws the error */
async function advised(thrown: unknown, invocation: Invocation, registry: Registry): Promise<never> {
  const command = thrown instanceof NotFoundError ? await findCommand(registry, invocation.name) : undefined;
  if (!(thrown instanceof NotFoundError) || command === undefined) throw thrown;
  const { withListCommand } = await import('./hints.ts');
  throw withListCommand(thrown, { command, invocation, registry });
}

/** Creates the function that shows progress from now on, with rate, time left and age; shows nothing with `--quiet`. */
export function progressOn(
  { screen, options }: Pick<SubcommandContext, 'screen' | 'options'>,
  clock: Pick<Clock, 'elapsed'>,
): ShowProgress {
  if (options.quiet) return () => undefined;
  const since = performance.now();
  return metered((line, amount) => screen.progress(line, since, amount), clock);
}
