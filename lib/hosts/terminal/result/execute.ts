/** Runs one line and prints its result. */

import { withNamedValues } from '../../../client/names/values.ts';
import { AisecError, CancelledError, ServiceError, ValidationError } from '../../../core/errors.ts';
import type { Runtime } from '../../../core/runtime.ts';
import { stopped, untilStopped } from '../../../core/stop.ts';
import { stopOf } from '../../../node/system/stop.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import type { Result } from '../../../runtime/output/result.ts';
import { isForPrograms } from '../line/options.ts';
import { type Choice, choose } from '../line/output-options.ts';
import { type Prepared, prepare } from '../line/prepare.ts';
import { type Execution, isLast } from '../line/subcommand.ts';
import type { RecordStream } from './results.ts';
import { show } from './show.ts';

/** Number of streamed records above which memory is limited. */
const MANY = 1000;
/** Exit code of a blocked scan, with `--exit-code`. */
const BLOCKED = 1;
const NOT_ALLOWED = 'Scan again, or review the result: it does not count as allowed.';

/**
 * Runs one command. Prints the result to the screen and reports failures.
 * @param location such as `line 3`, for messages
 * @returns the exit code
 */
export async function execute(
  line: string | Invocation,
  execution: Execution,
  signal: AbortSignal,
  location?: string,
): Promise<number> {
  const { session, screen, options, report } = execution;
  let prepared: Prepared | undefined;
  try {
    session.checkRoom();
    const runtime = await session.runtime(signal, options.dryRun);
    prepared = await prepare(line, execution, runtime, signal);
    if (prepared === undefined) {
      screen.note('Nothing was deleted.');
      return 0;
    }
    const end = session.working(prepared.invocation.name);
    const result = await perform(prepared, execution, runtime, signal).finally(end);
    if (result.failure !== undefined) throw result.failure;
    return options.exitCode ? codeOf(result) : 0;
  } catch (thrown) {
    // A closed reader (EPIPE) is not an error, and stops only work whose exit code is not a verdict.
    if (screen.closed.aborted && !options.exitCode && thrown instanceof CancelledError) return 0;
    return await report(await advised(thrown, prepared, execution, signal), location);
  } finally {
    // A command that prints nothing would leave its progress line on the screen.
    screen.settle();
  }
}

/** Runs a command and shows its result; if the output fails, the result is saved. */
async function perform(
  prepared: Prepared,
  execution: Execution,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Result> {
  const { command, invocation: typed } = prepared;
  const { session, screen, format, options } = execution;
  const resuming = await resumingOf(prepared, execution, runtime);
  const chosen = await chosenRecords(command, typed, execution, runtime);
  const invocation = chosen?.invocation ?? typed;
  const { dispatchFound } = await import('../../../runtime/engine/dispatch.ts');
  const choice = await choose(command, invocation, options, format, screen.terminal);
  const keeper = await (await import('./keeper.ts')).openKeeper(command, execution, choice);
  const printed = choice.streams ? await openStream(execution, choice) : undefined;
  let streamed = 0;
  const stream = (record: unknown) => {
    streamed += 1;
    if (streamed === MANY)
      void import('../../../node/system/memory.ts').then(({ limitHeapGrowth }) => limitHeapGrowth());
    printed?.push(record);
  };
  const output =
    printed === undefined
      ? { showsTables: !isForPrograms(format) }
      : { stream, delivered: () => delivered(printed, execution, signal), keepsStreamed: !isLast(execution) };
  const result = await dispatchFound(command, invocation, {
    ...runtime,
    ...output,
    files: resuming?.files ?? runtime.files,
    ports: { ...runtime.ports, ...chosen?.ports },
  });
  try {
    const shown = resuming?.inResult(result) ?? result;
    const taken = (await keeper?.take(shown)) ?? shown;
    await printed?.end();
    if (!isLast(execution)) await session.keep(result.writes);
    await show(taken, execution, choice, {
      command,
      runtime,
      invocation: withNamedValues(invocation, command),
      typed: withNamedValues(typed, command),
      streamed: streamed > 0,
      signal,
    });
    for (const note of chosen?.notes() ?? []) if (!options.quiet) screen.note(note);
    await keeper?.delivered(signal);
  } catch (thrown) {
    throw keeper === undefined ? thrown : await keeper.failed(thrown);
  }
  return result;
}

/** Prepares the notes about an unfinished run of the same work. */
async function resumingOf({ command, typed }: Prepared, { screen, options, format }: Execution, runtime: Runtime) {
  if (command.args['resume'] === undefined) return undefined;
  return (await import('./resuming.ts')).resuming({ command, typed, screen, options, format, runtime });
}

/** Reads `--filter` and `--sort`, which few lines have. @throws UsageError */
async function chosenRecords(command: Command, typed: Invocation, { options }: Execution, { clock }: Runtime) {
  if (options.filter.length === 0 && options.sort === undefined) return undefined;
  const { chooseRecords } = await import('../line/list-options.ts');
  return chooseRecords(command, typed, options, clock.now());
}

/** Completes the hint of a failed line: adds similar names, and the line's arguments to suggested commands. */
async function advised(
  thrown: unknown,
  prepared: Prepared | undefined,
  { host, session, options }: Execution,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(thrown instanceof AisecError) || prepared === undefined) return thrown;
  const line = { ...prepared, registry: host.registry };
  const { withArguments, withListCommand, withMissingHints, withNearNames } = await import('./hints.ts');
  if (!options.exact && namesByName(prepared)) {
    const [{ listValues }, runtime] = await Promise.all([
      import('../../../client/completion/known-values.ts'),
      session.runtime(signal),
    ]);
    thrown.hint = await withNearNames(thrown, prepared, (lookup) => listValues(lookup, [], host.registry, runtime));
  }
  if (prepared.command.args['resume'] !== undefined && thrown.hint !== undefined) {
    const { resumeLine, withResumeLine } = await import('./resuming.ts');
    thrown.hint = withResumeLine(thrown.hint, resumeLine(prepared.typed, prepared.command));
  }
  const { hint } = withListCommand(thrown, line);
  if (hint?.includes('!aisec-') === true) thrown.hint = await withArguments(hint, line);
  return thrown instanceof ValidationError ? withMissingHints(thrown, line, options.exact) : thrown;
}

function namesByName({ command: { args } }: Prepared): boolean {
  return Object.values(args).some(({ lookup }) => lookup?.takes === 'name');
}

/**
 * Waits until streamed records have left the process. @returns whether the reader received them; it may leave before
 * the verdict @throws AisecError if they cannot be written, or after a stop
 */
async function delivered(printed: RecordStream, { screen, options }: Execution, signal: AbortSignal): Promise<boolean> {
  await printed.end();
  const work = screen.flush();
  // After a stop, the failure of the flush is reported at the end of the program.
  work.catch(() => undefined);
  await untilStopped(work, stopOf(signal));
  if (screen.closed.aborted && !options.exitCode) throw stopped();
  return !screen.closed.aborted;
}

/** Returns the exit code of a verdict. @throws ServiceError if the verdict is doubtful */
function codeOf({ verdict, planned }: Result): number {
  if (typeof verdict !== 'object') return verdict === 'block' ? BLOCKED : 0;
  const hint = planned ? 'This is not a pass. Leave out --dry-run to scan.' : NOT_ALLOWED;
  throw new ServiceError(verdict.doubt, { hint });
}

async function openStream({ format, screen }: Execution, choice: Choice) {
  return (await import('./results.ts')).recordStream(format, choice, screen);
}
