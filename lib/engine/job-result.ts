/** Runs a command's job to its end, or to the end of the time slice, and presents its result. */

import { unfinished } from '../output/present.ts';
import type { Wire } from '../output/record.ts';
import type { Command } from './command.ts';
import { runJob } from './job.ts';
import type { Result } from './result.ts';
import { errorOf, isSimulated, nextApi, presentResult, toolsOf, type Work } from './work.ts';

/** Runs the job. @param created the result of the command's own request; undefined if the run resumes the job */
export async function completeJob(
  work: Work,
  job: NonNullable<Command['job']>,
  first: Wire,
  created: Result | undefined,
): Promise<Result> {
  const { command, args, runtime, extras } = work;
  const end = await runJob(job, first, args.values, runtime, () => toolsOf(work, nextApi(work)));
  if ('checkpoint' in end) return { ...(created ?? unfinished(command, isSimulated(work), end)), suspension: end };
  if ('timeout' in end) {
    const last = end.latest === undefined ? created : presentResult(work, command.output, { wire: end.latest });
    if (last === undefined) throw end.timeout;
    return { ...last, failure: errorOf(end.timeout, work) };
  }
  if (end.failure !== undefined) extras.failure = end.failure;
  const last = presentResult(work, job.output, { wire: end.wire });
  const raw = end.raw === undefined || last.showRaw ? last.raw : end.raw;
  if (job.output.record === command.output.record) return { ...last, raw };
  // The record of the created resource is updated, and comes before the job's own record.
  const record = presentResult(work, command.output, { wire: end.wire }).writes.filter(({ key }) => key !== undefined);
  const others = (created?.writes ?? []).filter(({ key }) => key === undefined);
  return { ...last, raw, writes: [...record, ...others, ...last.writes] };
}
