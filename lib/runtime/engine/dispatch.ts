/**
 * Runs a command: invocation -> arguments -> requests -> records -> result.
 * The declaration describes the command, the runtime its environment.
 */

import { type AisecError, CancelledError, toAisecError, UsageError } from '../../core/errors.ts';
import { responseRedaction } from '../../core/redaction/responses.ts';
import type { Runtime } from '../../core/runtime.ts';
import { isList, type ListCall, Planned } from '../api/call.ts';
import type { Page, Records } from '../api/pagination.ts';
import type { Invocation } from '../arguments/lexer.ts';
import { withSecrets } from '../arguments/masked-line.ts';
import { type ReadArguments, readArguments } from '../arguments/read.ts';
import type { Wire } from '../output/record.ts';
import type { Result } from '../output/result.ts';
import { shape } from '../output/shape.ts';
import { type Command, findCommand, needFound, type Registry } from './command.ts';
import {
  type CommandResponse,
  type CommandRun,
  completeJob,
  errorOf,
  isSimulated,
  presentResult,
  startRun,
  toolsOf,
} from './command-run.ts';
import { fitContext } from './limit.ts';
import { LIST_READER, type ListReader } from './list-reader.ts';
import { planned } from './present.ts';

/**
 * Finds the command of an invocation, and runs it.
 * @throws AisecError with the name of the command
 */
export async function dispatch(invocation: Invocation, registry: Registry, runtime: Runtime): Promise<Result> {
  const { name } = invocation;
  const command = needFound(await findCommand(registry, name), name, registry, runtime.advice.commands);
  return dispatchFound(command, invocation, runtime);
}

/**
 * Runs a command that the caller has found.
 * @throws AisecError with the name of the command
 */
export async function dispatchFound(command: Command, invocation: Invocation, runtime: Runtime): Promise<Result> {
  try {
    const args = readArguments(command, invocation, await withSecrets(command, invocation, runtime));
    const result = await withRetries(args, runtime, () => run(command, args, withTimeout(runtime, args)));
    if (result.failure !== undefined) result.failure.command ??= command.name;
    return await fitContext(result, command, runtime);
  } catch (thrown) {
    throw named(thrown, command, runtime);
  }
}

/**
 * Checks the arguments of a command without running it.
 * @throws AisecError as `dispatch` does
 */
export async function verify(command: Command, invocation: Invocation, runtime: Runtime): Promise<void> {
  try {
    readArguments(command, invocation, await withSecrets(command, invocation, runtime));
  } catch (thrown) {
    throw named(thrown, command, runtime);
  }
}

function named(thrown: unknown, { name }: Command, runtime: Runtime): AisecError {
  const error = toAisecError(thrown, responseRedaction(runtime, []).body);
  error.command ??= name;
  return error;
}

async function run(command: Command, args: ReadArguments, runtime: Runtime): Promise<Result> {
  const current = startRun(command, args, runtime);
  try {
    return await complete(current, await execute(current));
  } catch (thrown) {
    if (thrown instanceof Planned) return planned(command, args, thrown.plan, current.extras, isSimulated(current));
    throw errorOf(thrown, current);
  }
}

async function execute(current: CommandRun): Promise<CommandResponse | undefined> {
  const { command, args, runtime, api } = current;
  const { output } = command;
  // A run that resumes a job skips the command's own request.
  if (runtime.timeSlice?.checkpoint !== undefined) return undefined;
  if (command.run !== undefined) {
    const wire = await command.run(args.values, toolsOf(current, api));
    const reader = Array.isArray(wire) ? readerOf(runtime) : undefined;
    return { wire: reader?.select(wire as readonly Wire[], { output, typed: args.typed }) ?? wire };
  }
  const call = command.call?.(args.values, runtime.clock.now());
  if (call === undefined) return undefined;
  if (!isList(call)) return { wire: await api.fetch(call) };
  const page = await fetchList(current, call);
  const { head, records, total } = page;
  const inside = output.paged === undefined ? undefined : { ...head, [output.paged]: records, total_items: total };
  return { wire: inside ?? records, page };
}

/** Fetches a list, and streams its records if the host asks for it. */
async function fetchList({ command: { output }, args, runtime, api }: CommandRun, call: ListCall): Promise<Page> {
  const { stream, keepsStreamed } = runtime;
  const reader = readerOf(runtime);
  const list = (onRecords?: (records: Records) => void) =>
    reader === undefined ? api.list(call, onRecords) : reader.read(api, call, { output, typed: args.typed }, onRecords);
  if (stream === undefined || !output.many) return list();
  const kept: Wire[] = [];
  const page = await list((records) => {
    for (const record of records) {
      stream(shape(output.record, record, args.typed));
      if (keepsStreamed === true) kept.push(record);
    }
  });
  return { ...page, records: kept };
}

function readerOf({ ports }: Runtime): ListReader | undefined {
  return ports?.[LIST_READER.name] as ListReader | undefined;
}

/** Presents the response, and runs the job to its end or to the end of the time slice. */
async function complete(current: CommandRun, first: CommandResponse | undefined): Promise<Result> {
  const { command, args } = current;
  const { job } = command;
  const result = first === undefined ? undefined : presentResult(current, command.output, first);
  if (job === undefined || job.isRequested?.(args.values) === false) {
    if (result !== undefined) return result;
    throw new UsageError(`${command.name} declares no work.`);
  }
  return completeJob(current, job, (first?.wire ?? {}) as Wire, result).catch((thrown: unknown) => {
    if (result === undefined) throw thrown;
    // The created resource exists in the service, so its record must not be lost.
    return { ...result, failure: errorOf(thrown, current) };
  });
}

/**
 * Applies the caller's time limit to requests and to the time slice of a job. The host keeps at most half of that time
 * for itself.
 */
function withTimeout(runtime: Runtime, { generic }: ReadArguments): Runtime {
  if (generic.timeoutSeconds === undefined) return runtime;
  const limitMs = generic.timeoutSeconds * 1000;
  const budgetMs = Math.max(limitMs - (runtime.reserveMs ?? 0), limitMs / 2);
  const { clock, timeSlice } = runtime;
  if (timeSlice === undefined) return { ...runtime, budgetMs };
  const end = clock.elapsed() + budgetMs;
  const { deadline, lastDeadline = deadline } = timeSlice;
  const within = { deadline: Math.min(deadline, end), lastDeadline: Math.min(lastDeadline, end) };
  return { ...runtime, budgetMs, timeSlice: { ...timeSlice, ...within } };
}

/**
 * Repeats the whole command as `retry-count` asks, but never a change with an unknown outcome, and not beyond the time
 * limit of the command.
 */
async function withRetries(args: ReadArguments, runtime: Runtime, attempt: () => Promise<Result>): Promise<Result> {
  const { clock, stop, beforeRetry, budgetMs } = withTimeout(runtime, args);
  const [deadline, pauseMs] = [clock.elapsed() + budgetMs, args.generic.retrySeconds * 1000];
  for (let retriesLeft = args.generic.retries; ; retriesLeft -= 1) {
    try {
      return await attempt();
    } catch (thrown) {
      if (retriesLeft <= 0 || !toAisecError(thrown).retryable || thrown instanceof CancelledError) throw thrown;
      if (stop?.stopped === true || clock.elapsed() + pauseMs > deadline) throw thrown;
      await clock.wait(pauseMs, stop);
      beforeRetry?.();
    }
  }
}
