/** Collects the data of a comparison of two red-team scans. */
import { asText, type JsonObject } from '../../../engine/json.ts';
import type { RunCommand } from '../../../engine/run-command.ts';
import { type Comparison, compareTested, type Pair, recordOf } from '../compare.ts';
import type { Attack, MissingPart } from '../model.ts';
import { numberOf, textOf } from '../page/format.ts';
import { MAX_CLOSE } from '../rank-attacks.ts';
import { refuseOtherTypes, refuseUnfinished } from '../refusals.ts';
import { type Tested, testedIn } from '../tested.ts';
import type { ReportOptions } from './collect.ts';
import { attackWithAnswers } from './collect-attacks.ts';
import { breakthrough, streamsOf } from './collect-goals.ts';
import { promptWithAnswers } from './collect-prompts.ts';
import { type ReportSource, reportSource } from './report-source.ts';
import { type History, historiesOf } from './target-history.ts';

/** One of the two scans. */
export interface Side {
  /** Output of `aisec-redteam-scan-get`. */
  readonly job: JsonObject;
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
  /** The scans attacked the same target. */
  readonly sameTarget: boolean;
  readonly comparison: Comparison;
  /** The first newly successful attacks; empty unless they were asked for. */
  readonly answered: readonly AnsweredPair[];
  /** One for each target. */
  readonly histories: readonly History[];
  readonly missing: readonly MissingPart[];
  readonly simulated: boolean;
  /** Creation time, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** Version of this program. */
  readonly version: string;
}

export interface ComparisonOptions extends ReportOptions {
  /** Fetch the target's responses to newly successful attacks. */
  readonly withAnswers: boolean;
}

/**
 * Collects two scans, the earlier one first.
 * @throws ServiceError for an unfinished or failed scan; UsageError for scans of different types; AisecError of every kind
 */
export async function collectComparison(
  ids: readonly [before: string, after: string],
  ask: RunCommand,
  { createdAt, version, progress, withAnswers }: ComparisonOptions,
): Promise<ComparisonData> {
  const source = reportSource(ask);
  const jobOf = async (job_id: string) => (await source.required('aisec-redteam-scan-get', { job_id })).record;
  const jobs = [await jobOf(ids[0]), await jobOf(ids[1])] as const;
  refuseOtherTypes(...jobs);
  for (const job of jobs) refuseUnfinished(job, ['COMPLETED']);
  const sideOf = async (job: JsonObject, which: string): Promise<Side> => {
    progress(`Attacks of the ${which} scan`);
    const tested = await testedIn(job, source.required);
    return { job, asr: numberOf(job['asr']), score: numberOf(job['score']), tested };
  };
  const [before, after] = [await sideOf(jobs[0], 'first'), await sideOf(jobs[1], 'second')];
  const comparison = compareTested(before.tested, after.tested);
  const answered = withAnswers ? await answersTo(comparison.new, jobs, source, progress) : [];
  return {
    type: asText(before.job['job_type']),
    before,
    after,
    sameTarget: textOf(before.job['target_id']) === textOf(after.job['target_id']),
    comparison,
    answered,
    histories: await historiesOf(jobs, source),
    missing: source.missing,
    simulated: source.simulated(),
    createdAt,
    version,
  };
}

async function answersTo(
  pairs: readonly Pair[],
  jobs: readonly [before: JsonObject, after: JsonObject],
  source: ReportSource,
  progress: ReportOptions['progress'],
): Promise<readonly AnsweredPair[]> {
  const answered: AnsweredPair[] = [];
  for (const pair of pairs.slice(0, MAX_CLOSE)) {
    progress(`Attack ${answered.length + 1} of ${Math.min(pairs.length, MAX_CLOSE)}`);
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

async function withAnswer({ row }: Tested, { uuid, job_type }: JsonObject, source: ReportSource): Promise<Attack> {
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
