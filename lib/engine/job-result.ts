/** Runs a command's job to its end, or to the end of the time slice, and presents its result. */

import type { Wire } from '../output/record.ts';
import type { Result } from '../output/result.ts';
import type { Command } from './command.ts';
import { type CommandRun, errorOf, isSimulated, nextApi, presentResult, toolsOf } from './command-run.ts';
import { runJob } from './job.ts';
import { unfinished } from './present.ts';

/** Runs the job. @param created the result of the command's own request; undefined if the run resumes the job */
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
  // The record of the created resource is updated, and comes before the job's own record.
  const record = presentResult(current, command.output, { wire: end.wire }).writes.filter(
    ({ key }) => key !== undefined,
  );
  const others = (created?.writes ?? []).filter(({ key }) => key === undefined);
  return { ...last, raw, writes: [...record, ...others, ...last.writes] };
}
