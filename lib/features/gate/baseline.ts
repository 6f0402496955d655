/** A red-team scan against a baseline, an earlier scan: an attack that was successful there does not fail again. */
import { UsageError } from '../../core/errors.ts';
import { asText } from '../../core/json.ts';
import type { RedTeamScan } from '../commands.ts';
import { type Comparison, compareTested, outcomeOf, type Pair, type Reason, shownOf } from '../report/compare.ts';
import { refuseOtherTypes } from '../report/refusals.ts';
import type { Tested } from '../report/tested.ts';
import type { BaselineCounts, Evidence } from './decide.ts';
import type { BaselineState, Finding } from './finding.ts';
import { findingOf, redTeamEvidence, scanName } from './red-team.ts';

export interface CompletedScan {
  readonly job: RedTeamScan;
  readonly tested: readonly Tested[];
}

/** Rejects a baseline that says nothing about a scan. @throws UsageError */
export function checkBaseline(baseline: RedTeamScan, job: RedTeamScan): void {
  if (baseline.uuid === job.uuid) {
    throw new UsageError('A scan cannot be its own baseline: nothing would be new.', {
      hint: 'Choose an earlier scan of the target from: !aisec-redteam-scans-list',
    });
  }
  refuseOtherTypes(baseline, job);
}

/** Collects the successful attacks of a scan, each with its state against the baseline. */
export function baselineEvidence(scan: CompletedScan, baseline: CompletedScan): Evidence {
  const comparison = compareTested(baseline.tested, scan.tested);
  const counts = countsOf(comparison, baseline.job);
  return {
    ...redTeamEvidence(scan.job, scan.tested),
    findings: findingsOf(comparison, scan.job, baseline.job),
    passed: `No new successful attack breaks a limit; ASR is ${asText(scan.job.asr)} %.`,
    remark: difference(counts, baseline.job, scan.job),
    baseline: counts,
  };
}

/** Why the baseline has no outcome of an attack. */
const UNKNOWN_THERE: Readonly<Record<Reason, string>> = {
  'only-before': '',
  'only-after': 'The baseline did not run it.',
  changed: 'Its text has changed since the baseline.',
  unanswered: 'The target did not answer it in the baseline.',
};

function findingsOf({ new: added, fixed, open, incomparable }: Comparison, job: RedTeamScan, earlier: RedTeamScan) {
  const finding = (of: RedTeamScan, pair: Pair, baselineState: BaselineState, more: string): Finding[] => {
    const shown = shownOf(pair);
    if (shown === undefined) return [];
    const found = findingOf(of, shown);
    return [{ ...found, message: `${found.message} ${more}`, baselineState }];
  };
  return [
    ...added.flatMap((pair) => finding(job, pair, 'new', 'The target withstood it in the baseline.')),
    ...incomparable
      .filter(succeedsIn('after'))
      .flatMap((pair) => finding(job, pair, 'new', UNKNOWN_THERE[pair.reason])),
    ...open.flatMap((pair) => finding(job, pair, 'unchanged', 'It was successful in the baseline, too.')),
    ...fixed.flatMap((pair) => finding(earlier, pair, 'absent', 'Fixed: the target withstands it now.')),
  ];
}

function succeedsIn(side: keyof Pair): (pair: Pair) => boolean {
  return (pair) => outcomeOf(pair[side]) === 'successful';
}

function countsOf({ new: added, fixed, open, incomparable }: Comparison, { uuid }: RedTeamScan): BaselineCounts {
  return {
    job: asText(uuid),
    newlySuccessful: added.length,
    withoutOutcome: incomparable.filter(succeedsIn('after')).length,
    open: open.length,
    fixed: fixed.length,
    lost: incomparable.filter(succeedsIn('before')).length,
  };
}

function difference(counts: BaselineCounts, earlier: RedTeamScan, job: RedTeamScan): string {
  const { newlySuccessful, withoutOutcome, open, fixed, lost } = counts;
  const target = earlier.target_id === job.target_id ? '' : `, of another target (${asText(earlier.target_name)})`;
  const parts = [
    `${newlySuccessful} newly successful`,
    withoutOutcome === 0 ? undefined : `${withoutOutcome} not tested before`,
    `${open} still open`,
    `${fixed} fixed`,
    lost === 0 ? undefined : `${lost} not tested again`,
  ].filter((part) => part !== undefined);
  return `Since the baseline ${scanName(earlier)}${target}: ${parts.join(', ')}.`;
}
