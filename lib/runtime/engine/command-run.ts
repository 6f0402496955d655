/** Holds the state of one running command; the command's requests, job and result share it. */

import { type AisecError, toAisecError } from '../../core/errors.ts';
import type { PortKey, SavedFile } from '../../core/ports.ts';
import { metered } from '../../core/progress.ts';
import { type Redact, responseRedaction } from '../../core/redaction/responses.ts';
import type { Runtime } from '../../core/runtime.ts';
import { withStop } from '../../core/stop.ts';
import { Api } from '../api/client.ts';
import type { Page } from '../api/pagination.ts';
import type { ReadArguments } from '../arguments/read.ts';
import { secretTexts } from '../output/mask.ts';
import type { Output, Wire } from '../output/record.ts';
import type { Result } from '../output/result.ts';
import { HTTP_STATUS, shape } from '../output/shape.ts';
import { needSetting } from '../settings/required.ts';
import type { Command, Tools } from './command.ts';
import { runJob } from './job.ts';
import { presentedResult, type ResultExtras, unfinished } from './present.ts';

/** The state of one running command. */
export interface CommandRun {
  readonly command: Command;
  readonly args: ReadArguments;
  readonly runtime: Runtime;
  /** Removes the secrets of settings and arguments from errors and logs. */
  readonly redact: Redact;
  readonly api: Api;
  /** The APIs of the job's steps. */
  readonly steps: Api[];
  /** Files that the handler created. */
  readonly files: SavedFile[];
  readonly extras: ResultExtras;
}

/** Response of the service to the command. */
export interface CommandResponse {
  readonly wire: Wire | readonly Wire[];
  readonly page?: Page;
}

/** Converts a thrown value; an error after a change must not be retried. */
export function errorOf(thrown: unknown, { redact, api, steps }: CommandRun): AisecError {
  const error = toAisecError(thrown, redact.body);
  // Running the command again would repeat the change.
  if ([api, ...steps].some((each) => each.changed())) error.retryable = false;
  return error;
}

/** Reports whether the simulated service answered any request. */
export function isSimulated({ api, steps }: CommandRun): boolean {
  return [api, ...steps].some((each) => each.simulated());
}

/** Starts a command. */
export function startRun(command: Command, args: ReadArguments, given: Runtime): CommandRun {
  const { progress, clock } = given;
  const runtime = progress === undefined ? given : { ...given, progress: metered(progress, clock) };
  const redact = responseRedaction(runtime, secretTexts(command.args, args.values));
  const api = new Api(runtime, { ...command, redact });
  return { command, args, runtime, redact, api, steps: [], files: [], extras: { notes: [], tables: [], warnings: [] } };
}

/** Creates the API of the next step, whose requests have their own time limit. */
function nextApi({ command, runtime, redact, steps }: CommandRun): Api {
  const api = new Api(runtime, { ...command, redact });
  steps.push(api);
  return api;
}

/** Shapes a response into records, and presents them. */
export function presentResult(current: CommandRun, output: Output, { wire, page }: CommandResponse): Result {
  const { command, args, api, extras } = current;
  const echo = { ...args.typed, [HTTP_STATUS]: api.status() };
  const sent = Array.isArray(wire) ? (wire as readonly Wire[]) : [wire as Wire];
  const records = sent.map((record) => shape(output.record, record, echo));
  const simulated = isSimulated(current);
  const files = [...api.saved(), ...current.files];
  return presentedResult({ command, args, output, page, extras, wire, simulated, records, files });
}

/**
 * Runs the job of a command to its end, or to the end of the time slice, and presents its result.
 * @param created the result of the command's own request; undefined if the run resumes the job
 */
export async function completeJob(
  current: CommandRun,
  job: NonNullable<Command['job']>,
  first: Wire,
  created: Result | undefined,
): Promise<Result> {
  const { command, args, runtime, extras } = current;
  const end = await runJob(job, first, args.values, runtime, () => toolsOf(current, nextApi(current)));
  if ('checkpoint' in end) return { ...(created ?? unfinished(command, isSimulated(current), end)), suspension: end };
  if ('timeout' in end) {
    const last = end.latest === undefined ? created : presentResult(current, command.output, { wire: end.latest });
    if (last === undefined) throw end.timeout;
    return { ...last, failure: errorOf(end.timeout, current) };
  }
  if (end.failure !== undefined) extras.failure = end.failure;
  const last = presentResult(current, job.output, { wire: end.wire });
  const raw = end.raw === undefined || last.showRaw ? last.raw : end.raw;
  if (job.output.record === command.output.record) return { ...last, raw };
  // Update the record of the created resource, and put it before the job's own record.
  const record = presentResult(current, command.output, { wire: end.wire }).writes.filter(
    ({ key }) => key !== undefined,
  );
  const others = (created?.writes ?? []).filter(({ key }) => key === undefined);
  return { ...last, raw, writes: [...record, ...others, ...last.writes] };
}

/** Returns the tools of a handler or of a step of a job. */
export function toolsOf({ runtime, extras, files }: CommandRun, api: Api): Tools {
  // Drop streamed records: they were printed, and no later command can refer to them.
  const isPrinted = runtime.stream !== undefined && runtime.keepsStreamed !== true;
  return {
    api,
    tenant: () => needSetting(runtime, 'tsg_id'),
    note: (sentence) => extras.notes.push(sentence),
    warn: (sentence) => extras.warnings.push(sentence),
    truncated: (truncation) => {
      if (!isPrinted) extras.truncated = truncation;
    },
    tally: (tally) => {
      extras.tally = tally;
    },
    show: (table) => extras.tables.push(table),
    partialFailure: (failure) => {
      extras.failure = failure;
    },
    files: runtime.files,
    addFile: (file) => files.push(file),
    clock: withStop(runtime.stop, runtime.clock),
    stream: runtime.stream,
    delivered: async () => (await runtime.delivered?.()) ?? true,
    showsTables: runtime.showsTables === true,
    contextLimit: runtime.contextLimit,
    deadline: runtime.timeSlice?.deadline,
    lastDeadline: runtime.timeSlice?.lastDeadline ?? runtime.timeSlice?.deadline,
    dryRun: runtime.dryRun,
    port: <Port>({ name }: PortKey<Port>) => runtime.ports?.[name] as Port | undefined,
    stop: runtime.stop,
    cancelled: () => runtime.stop?.stopped === true,
    progress: (line, amount) => runtime.progress?.(line, amount),
  };
}
