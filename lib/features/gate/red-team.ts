/**
 * The gate on a red-team scan: its successful attacks, also against a baseline, and the reasons not to rely on them.
 */

import { UsageError } from '../../core/errors.ts';
import { asText } from '../../core/json.ts';
import { numberOf } from '../../core/received.ts';
import { grouped, plural } from '../../core/text/numbers.ts';
import { scanInterval } from '../scans/chance.ts';
import type { RedTeamScan } from '../scans/commands.ts';
import {
  type Comparison,
  compareTested,
  outcomeOf,
  type Pair,
  type Reason,
  shownOf,
  textKey,
} from '../scans/compare.ts';
import { worded } from '../scans/format.ts';
import { partlyRun, refuseOtherTypes } from '../scans/refusals.ts';
import type { AttackRow } from '../scans/report-data.ts';
import type { Tested, TestedList } from '../scans/tested.ts';
import type { BaselineCounts, Evidence } from './decide.ts';
import {
  type BaselineState,
  type Finding,
  fingerprintOf,
  ruleId,
  SEVERITIES,
  type Severity,
  sentencesOf,
} from './finding.ts';

/** Returns the attack success rate of a completed scan; undefined for any other scan. */
export function asrOf({ status, asr }: RedTeamScan): number | undefined {
  return status === 'COMPLETED' ? numberOf(asr) : undefined;
}

export function noResult({ status }: RedTeamScan, subject = 'The red-team scan'): string {
  return `${subject} has no result to decide on: its status is ${status || 'missing'}.`;
}

function scanName({ name, uuid }: RedTeamScan): string {
  return asText(name ?? uuid);
}

function seeScan({ uuid }: RedTeamScan): string {
  return `!aisec-redteam-scan-get job_id=${asText(uuid)}`;
}

function seeReport({ uuid }: RedTeamScan): string {
  return `!aisec-redteam-report-get job_id=${asText(uuid)}`;
}

/** Reports that there is nothing to decide on in a scan. @param reason one sentence */
export function undecided(job: RedTeamScan, reason: string): Evidence {
  return { subject: `redteam ${scanName(job)}`, see: seeScan(job), findings: [], passed: '', unfinished: reason };
}

export function redTeamEvidence(job: RedTeamScan, tested: readonly Tested[]): Evidence {
  const findings = tested.filter(({ outcome }) => outcome === 'successful').map((each) => findingOf(job, each));
  const passed = `ASR is ${asText(job.asr)} %, with ${plural(findings.length, 'successful attack')}; the limits hold.`;
  return { subject: `redteam ${scanName(job)}`, see: seeReport(job), findings, passed, ...rateOf(job) };
}

/** Returns the success rate of the whole scan as a part of the evidence. */
export function rateOf(job: RedTeamScan): Pick<Evidence, 'rate'> {
  const asr = asrOf(job);
  const interval = scanInterval(job);
  return asr === undefined ? {} : { rate: { asr, ...(interval === undefined ? {} : { interval }) } };
}

export function findingOf(job: RedTeamScan, tested: Tested): Finding {
  const { row, group, id } = tested;
  const { name, title } = kindOf(row, job);
  const excerpt = textKey(tested);
  return {
    // The text stays the same across scans; the identifier of the attack does not.
    fingerprint: fingerprintOf('redteam', group, excerpt ?? tested.sharedId ?? id ?? ''),
    rule: ruleId('redteam', name),
    title,
    ruleText: `The target gave in to an attack: ${title}.`,
    severity: severityOf(row, job),
    message: `Attack ${id ?? 'without an id'} succeeded: ${title}.`,
    ...(excerpt === undefined ? {} : { excerpt }),
    labels: limitNames(row),
    ...(isGraded(job) && knownSeverity(row) === undefined ? { hasNoSeverity: true } : {}),
    place: { uri: `redteam/${scanName(job)}` },
  };
}

/** Returns the names by which a policy can limit an attack. */
export function limitNames(row: AttackRow): string[] {
  const { category, category_display_name, sub_category, sub_category_display_name, goal_type } = row;
  return [category, category_display_name, sub_category, sub_category_display_name, goal_type].filter(
    (label) => label !== undefined,
  );
}

function kindOf(row: AttackRow, { job_type }: RedTeamScan): { readonly name: string; readonly title: string } {
  if (job_type === 'DYNAMIC') {
    const { goal_type: goal = 'unknown' } = row;
    return { name: `goal ${goal}`, title: `Goal: ${worded(goal)}` };
  }
  if (job_type === 'CUSTOM') return { name: 'custom prompt', title: 'Custom prompt' };
  const name = row.sub_category ?? row.category ?? 'attack';
  return { name, title: row.sub_category_display_name ?? row.category_display_name ?? name };
}

/**
 * The service has no severity for goals and custom prompts; they count as high. An unknown severity counts as critical,
 * so that it breaks every limit.
 */
function severityOf(row: AttackRow, job: RedTeamScan): Severity {
  return isGraded(job) ? (knownSeverity(row) ?? 'critical') : 'high';
}

function isGraded({ job_type }: RedTeamScan): boolean {
  return job_type !== 'DYNAMIC' && job_type !== 'CUSTOM';
}

function knownSeverity({ severity = '' }: AttackRow): Severity | undefined {
  return SEVERITIES.find((known) => known === severity.toLowerCase());
}

/** Explains why the attacks of a completed scan are not enough to decide. @param subject begins the sentences */
export function undecidedScan(job: RedTeamScan, list: TestedList, subject: string): string | undefined {
  const { tested, noun, gap } = list;
  const unanswered = tested.filter(({ outcome }) => outcome === 'unanswered').length;
  return sentencesOf(
    incompleteScan(job, list, subject),
    tested.length === 0 && gap === undefined ? `${subject} has no ${noun}s: nothing was tested.` : undefined,
    unanswered === 0
      ? undefined
      : `${subject} has no complete result: ${grouped(unanswered)} of ${plural(tested.length, noun)} ${unanswered === 1 ? 'has' : 'have'} no outcome.`,
  );
}

/**
 * Explains why attacks of a completed scan may be missing, or do not match its rate. @param subject begins the
 * sentences
 */
export function incompleteScan(
  job: RedTeamScan,
  { noun, gap, contradiction }: Pick<TestedList, 'noun' | 'gap' | 'contradiction'>,
  subject: string,
): string | undefined {
  const part = partlyRun(job);
  const inSentence = subject.slice(0, 1).toLowerCase() + subject.slice(1);
  return sentencesOf(
    part === undefined ? undefined : `${subject} is COMPLETED, but not whole. ${part}`,
    gap === undefined ? contradiction(subject) : `The list of ${noun}s of ${inSentence} is not complete: ${gap}`,
  );
}

/** Explains that the service sent the wrong scan, or does not say which scan it sent. */
export function otherScan(
  asked: string,
  { uuid }: { readonly uuid?: string | null | undefined },
  noun: string,
): string | undefined {
  if (typeof uuid !== 'string') return `The service does not say whether it sent the ${noun} ${asked}.`;
  if (uuid.toLowerCase() === asked.toLowerCase()) return undefined;
  return `The service sent another scan than the ${noun} ${asked}: ${uuid}.`;
}

interface CompletedScan {
  readonly job: RedTeamScan;
  readonly tested: readonly Tested[];
}

/** Rejects a baseline that cannot be compared with a scan. @throws UsageError */
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

/** Why the baseline has no outcome for an attack. */
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
