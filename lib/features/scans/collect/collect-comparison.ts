/** Collects the data of a comparison of two red-team scans. */
import { asText } from '../../../core/json.ts';
import { numberOf, textOf } from '../../../core/received.ts';
import type { RunCommand } from '../../../runtime/engine/command-port.ts';
import { type RedTeamScan, runCommand } from '../commands.ts';
import { type Comparison, compareTested, type Pair, recordOf } from '../compare.ts';
import { MAX_DETAILED } from '../rank-attacks.ts';
import { refuseOtherTypes, refuseUnfinished } from '../refusals.ts';
import type { Attack, MissingPart } from '../report-data.ts';
import { type Tested, testedIn } from '../tested.ts';
import type { ReportOptions } from './collect.ts';
import { attackWithAnswers, breakthrough, promptWithAnswers, streamsOf } from './findings.ts';
import { ReportSource } from './report-source.ts';
import { type History, historiesOf } from './target-history.ts';

export interface Side {
  readonly job: RedTeamScan;
  /** Attack success rate, in percent. */
  readonly asr: number | undefined;
  /** Risk score, from 0 to 100. */
  readonly score: number | undefined;
  readonly tested: readonly Tested[];
}

/** A newly successful attack with the target's responses in both scans. */
export interface AnsweredPair {
  readonly pair: Pair;
  readonly before: Attack;
  readonly after: Attack;
}

export interface ComparisonData {
  /** STATIC, DYNAMIC or CUSTOM. */
  readonly type: string;
  readonly before: Side;
  readonly after: Side;
  readonly sameTarget: boolean;
  readonly comparison: Comparison;
  /** The first newly successful attacks; empty unless requested. */
  readonly answered: readonly AnsweredPair[];
  readonly histories: readonly History[];
  readonly missing: readonly MissingPart[];
  readonly simulated: boolean;
  /** Creation time, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** Version of this program. */
  readonly version: string;
}

export interface ComparisonOptions extends ReportOptions {
  readonly withAnswers: boolean;
}

type Jobs = readonly [before: RedTeamScan, after: RedTeamScan];

/**
 * Collects two scans, the earlier one first.
 * @throws ServiceError for an unfinished or failed scan; UsageError for scans of different types; AisecError of any
 * kind
 */
export async function collectComparison(
  ids: readonly [before: string, after: string],
  run: RunCommand,
  { createdAt, version, progress, withAnswers }: ComparisonOptions,
): Promise<ComparisonData> {
  const source = new ReportSource(run);
  const jobOf = async (job_id: string) => (await runCommand(source.run, 'aisec-redteam-scan-get', { job_id })).record;
  const jobs: Jobs = [await jobOf(ids[0]), await jobOf(ids[1])];
  refuseOtherTypes(...jobs);
  for (const job of jobs) refuseUnfinished(job, ['COMPLETED']);
  const sideOf = async (job: RedTeamScan, which: string): Promise<Side> => {
    progress(`Attacks of the ${which} scan`);
    return { job, asr: numberOf(job.asr), score: numberOf(job.score), tested: await testedIn(job, source.run) };
  };
  const [before, after] = [await sideOf(jobs[0], 'first'), await sideOf(jobs[1], 'second')];
  const comparison = compareTested(before.tested, after.tested);
  return {
    type: asText(before.job.job_type),
    before,
    after,
    sameTarget: textOf(before.job.target_id) === textOf(after.job.target_id),
    comparison,
    answered: withAnswers ? await answersTo(comparison.new, jobs, source, progress) : [],
    histories: await historiesOf(jobs, source),
    missing: source.missing,
    simulated: source.simulated,
    createdAt,
    version,
  };
}

async function answersTo(
  pairs: readonly Pair[],
  jobs: Jobs,
  source: ReportSource,
  progress: ReportOptions['progress'],
): Promise<readonly AnsweredPair[]> {
  const answered: AnsweredPair[] = [];
  for (const pair of pairs.slice(0, MAX_DETAILED)) {
    const total = Math.min(pairs.length, MAX_DETAILED);
    progress(`Attack ${answered.length + 1} of ${total}`, { done: answered.length, total });
    const [before, after] = [recordOf(pair.before), recordOf(pair.after)];
    if (before === undefined || after === undefined) continue;
    answered.push({
      pair,
      before: await withAnswer(before, jobs[0], source),
      after: await withAnswer(after, jobs[1], source),
    });
  }
  return answered;
}

async function withAnswer({ row }: Tested, { uuid, job_type }: RedTeamScan, source: ReportSource): Promise<Attack> {
  const jobId = asText(uuid);
  switch (job_type) {
    case 'DYNAMIC':
      return breakthrough({ goal: row, streams: await streamsOf(row, jobId, source) }, source);
    case 'CUSTOM':
      return promptWithAnswers(row, jobId, source);
    default:
      return attackWithAnswers(row, jobId, source);
  }
}
