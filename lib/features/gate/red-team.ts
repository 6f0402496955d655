/** The gate on a red-team scan: collects its successful attacks. */
import { asText } from '../../core/json.ts';
import { numberOf } from '../../core/received.ts';
import { plural } from '../../text/numbers.ts';
import type { RedTeamScan } from '../commands.ts';
import { scanInterval } from '../report/chance.ts';
import { textKey } from '../report/compare.ts';
import type { AttackRow } from '../report/model.ts';
import { worded } from '../report/page/format.ts';
import type { Tested } from '../report/tested.ts';
import type { Evidence } from './decide.ts';
import { type Finding, fingerprintOf, ruleId, SEVERITIES, type Severity } from './finding.ts';

/** Returns the attack success rate of a completed scan; undefined for any other one. */
export function asrOf({ status, asr }: RedTeamScan): number | undefined {
  return status === 'COMPLETED' ? numberOf(asr) : undefined;
}

export function noResult({ status }: RedTeamScan, subject = 'The red-team scan'): string {
  return `${subject} has no result to decide on: its status is ${status || 'missing'}.`;
}

export function scanName({ name, uuid }: RedTeamScan): string {
  return asText(name ?? uuid);
}

function seeScan({ uuid }: RedTeamScan): string {
  return `!aisec-redteam-scan-get job_id=${asText(uuid)}`;
}

function seeReport({ uuid }: RedTeamScan): string {
  return `!aisec-redteam-report-get job_id=${asText(uuid)}`;
}

/** Says that a scan cannot be decided on. @param reason one sentence */
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
    // The text stays the same over scans; the identifier of the attack does not.
    fingerprint: fingerprintOf('redteam', group, excerpt ?? tested.sharedId ?? id ?? ''),
    rule: ruleId('redteam', name),
    title,
    ruleText: `The target gave in to an attack: ${title}.`,
    severity: severityOf(row, job),
    message: `Attack ${id ?? 'without an id'} succeeded: ${title}.`,
    ...(excerpt === undefined ? {} : { excerpt }),
    labels: labelsOf(row),
    ...(isGraded(job) && knownSeverity(row) === undefined ? { hasNoSeverity: true } : {}),
    place: { uri: `redteam/${scanName(job)}` },
  };
}

/** Returns the names that a policy may limit an attack by. */
export function labelsOf(row: AttackRow): string[] {
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
