/**
 * The whole program on one page: invocation -> arguments -> requests -> records -> result.
 * Everything it needs to know of a command is in the command's declaration; everything of the world is in the runtime.
 */
import { isList, type ListCall } from './api/call.ts';
import type { Api, Page } from './api/client.ts';
import { createApi } from './api/create.ts';
import { Planned } from './api/planned.ts';
import type { Invocation } from './arguments/lexer.ts';
import { type ReadArguments, readArguments } from './arguments/read.ts';
import { didYouMean } from './arguments/suggest.ts';
import type { Command, Registry, Tools } from './command.ts';
import { type AisecError, CancelledError, toAisecError, UsageError } from './errors.ts';
import { follow } from './job.ts';
import { fitContext } from './output/limit.ts';
import { type Asides, planned, present, unfinished } from './output/present.ts';
import type { Output, Wire } from './output/record.ts';
import { HTTP_STATUS, shape } from './output/shape.ts';
import type { SavedFile } from './ports.ts';
import { secretTexts } from './redaction/mask.ts';
import { redacting } from './redaction/responses.ts';
import type { Result } from './result.ts';
import type { Runtime } from './runtime.ts';
import { needSettings } from './settings/required.ts';
import { isOwn } from './text/own.ts';

/**
 * Runs one command.
 * @throws AisecError of every kind; the error carries the command's name
 */
export async function dispatch(invocation: Invocation, registry: Registry, runtime: Runtime): Promise<Result> {
  try {
    const command = await find(invocation.name, registry, runtime);
    const args = readArguments(command, invocation, runtime);
    const result = await repeatedly(args, runtime, () => run(command, args, withTime(runtime, args)));
    if (result.failure !== undefined) result.failure.command ??= invocation.name;
    return await fitContext(result, command, runtime);
  } catch (thrown) {
    const error = toAisecError(thrown, redacting(runtime, []).body);
    error.command ??= invocation.name;
    throw error;
  }
}

async function find(name: string, registry: Registry, { advice }: Runtime): Promise<Command> {
  const load = isOwn(registry, name) ? registry[name] : undefined;
  if (load !== undefined) return load();
  const near = didYouMean(name, Object.keys(registry), '!');
  throw new UsageError(`There is no command "${name.slice(0, 80)}".`, { hint: near ?? advice.commands });
}

/** One command at work: what it may use, and what it says beside its answer. */
interface Work {
  readonly command: Command;
  readonly args: ReadArguments;
  readonly runtime: Runtime;
  readonly api: Api;
  /** The APIs of a job's steps. */
  readonly steps: Api[];
  /** Files that the handler made. */
  readonly files: SavedFile[];
  readonly asides: Asides;
}

async function run(command: Command, args: ReadArguments, runtime: Runtime): Promise<Result> {
  const asides: Asides = { notes: [], tables: [], warnings: [] };
  const work: Work = { command, args, runtime, api: apiFor(command, args, runtime), steps: [], files: [], asides };
  try {
    return await finish(work, await answer(work));
  } catch (thrown) {
    if (thrown instanceof Planned) return planned(command, args, thrown.plan, asides, isSimulated(work));
    throw failureOf(thrown, work);
  }
}

function failureOf(thrown: unknown, { command, args, runtime, api, steps }: Work): AisecError {
  const error = toAisecError(thrown, redacting(runtime, secretTexts(command.args, args.values)).body);
  // Whatever failed after a change, the line as a whole would make the change once more.
  if ([api, ...steps].some((each) => each.changed())) error.retryable = false;
  return error;
}

function isSimulated({ api, steps }: Work): boolean {
  return [api, ...steps].some((each) => each.simulated());
}

function apiFor(command: Command, { values }: ReadArguments, runtime: Runtime): Api {
  return createApi(runtime, { ...command, secrets: secretTexts(command.args, values) });
}

interface Answer {
  readonly wire: Wire | readonly Wire[];
  readonly page?: Page;
}

async function answer(work: Work): Promise<Answer | undefined> {
  const { command, args, runtime, api } = work;
  const { output } = command;
  // A run that goes on with a job has nothing to ask for first.
  if (runtime.slice?.standing !== undefined) return undefined;
  if (command.run !== undefined) return { wire: await command.run(args.values, toolsOf(work, api)) };
  const call = command.call?.(args.values, runtime.clock.now());
  if (call === undefined) return undefined;
  if (!isList(call)) return { wire: await api.fetch(call) };
  const page = await listed(work, call);
  const { head, records, total } = page;
  const inside = output.paged === undefined ? undefined : { ...head, [output.paged]: records, total_items: total };
  return { wire: inside ?? records, page };
}

/** Fetches a list, whose records are handed on as they arrive where the host wants them so. */
async function listed({ command: { output }, args, runtime, api }: Work, call: ListCall): Promise<Page> {
  const { stream, keepsStreamed } = runtime;
  if (stream === undefined || !output.many) return api.list(call);
  const kept: Wire[] = [];
  const page = await api.list(call, (records) => {
    for (const record of records) {
      stream(shape(output.record, record, args.typed));
      if (keepsStreamed === true) kept.push(record);
    }
  });
  return { ...page, records: kept };
}

/** Presents the answer, and takes the job that may follow it to its end, or as far as the host's slice goes. */
async function finish(work: Work, first: Answer | undefined): Promise<Result> {
  const { command, args } = work;
  const { job } = command;
  const result = first === undefined ? undefined : presented(work, command.output, first);
  if (job === undefined || job.asked?.(args.values) === false) {
    if (result !== undefined) return result;
    throw new UsageError(`${command.name} declares nothing to do.`);
  }
  return followed(work, job, (first?.wire ?? {}) as Wire, result).catch((thrown: unknown) => {
    if (result === undefined) throw thrown;
    // What was created goes on at the service, and its record is all that is known of it.
    return { ...result, failure: failureOf(thrown, work) };
  });
}

/** @param created the result of the command's own request, which a run that goes on with a job does not have */
async function followed(
  work: Work,
  job: NonNullable<Command['job']>,
  first: Wire,
  created: Result | undefined,
): Promise<Result> {
  const { command, args, runtime, asides } = work;
  const tools = () => {
    const api = apiFor(command, args, runtime);
    work.steps.push(api);
    return toolsOf(work, api);
  };
  const end = await follow(job, first, args.values, runtime, tools);
  if ('standing' in end) return { ...(created ?? unfinished(command, isSimulated(work), end)), pause: end };
  if ('overdue' in end) {
    const last = end.latest === undefined ? created : presented(work, command.output, { wire: end.latest });
    if (last === undefined) throw end.overdue;
    return { ...last, failure: failureOf(end.overdue, work) };
  }
  if (end.failure !== undefined) asides.failure = end.failure;
  const last = presented(work, job.output, { wire: end.wire });
  if (job.output.record === command.output.record) return last;
  // The record of what was created is brought up to date, and stands before the one that the end leaves.
  const record = presented(work, command.output, { wire: end.wire }).writes.filter(({ key }) => key !== undefined);
  const others = (created?.writes ?? []).filter(({ key }) => key === undefined);
  return { ...last, writes: [...record, ...others, ...last.writes] };
}

function presented(work: Work, output: Output, { wire, page }: Answer): Result {
  const { command, args, api, asides } = work;
  const echo = { ...args.typed, [HTTP_STATUS]: api.status() };
  const sent = Array.isArray(wire) ? (wire as readonly Wire[]) : [wire as Wire];
  const records = sent.map((record) => shape(output.record, record, echo));
  const simulated = isSimulated(work);
  const files = [...api.saved(), ...work.files];
  return present({ command, args, output, page, asides, wire, simulated, records, files });
}

function toolsOf({ runtime, asides, files }: Work, api: Api): Tools {
  // Every record was printed as it came, and no later command can ask for it: nothing is missing.
  const isPrinted = runtime.stream !== undefined && runtime.keepsStreamed !== true;
  return {
    api,
    tenant: () => needSettings(runtime, ['tsg_id'])[0] ?? '',
    note: (sentence) => asides.notes.push(sentence),
    warn: (sentence) => asides.warnings.push(sentence),
    truncated: (truncation) => {
      if (!isPrinted) asides.truncated = truncation;
    },
    show: (table) => asides.tables.push(table),
    partly: (failure) => {
      asides.failure = failure;
    },
    files: runtime.files,
    saved: (file) => files.push(file),
    clock: runtime.clock,
    stream: runtime.stream,
    contextLimit: runtime.contextLimit,
    until: runtime.slice?.until,
    dryRun: runtime.dryRun,
    cancelled: () => runtime.cancelled(),
    progress: (line) => runtime.progress?.(line),
  };
}

function withTime(runtime: Runtime, { generic }: ReadArguments): Runtime {
  return generic.timeoutSeconds === undefined ? runtime : { ...runtime, budgetMs: generic.timeoutSeconds * 1000 };
}

/** The platform's `retry-count`: the whole command again, but never a change whose outcome is unknown. */
async function repeatedly(args: ReadArguments, runtime: Runtime, once: () => Promise<Result>): Promise<Result> {
  for (let left = args.generic.retries; ; left -= 1) {
    try {
      return await once();
    } catch (thrown) {
      if (left <= 0 || !toAisecError(thrown).retryable || thrown instanceof CancelledError) throw thrown;
      await runtime.clock.wait(args.generic.retrySeconds * 1000);
    }
  }
}
