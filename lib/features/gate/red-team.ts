/** The gate on a red-team scan: collects its successful attacks. */
import { asText, type JsonObject } from '../../engine/json.ts';
import { plural } from '../../text/numbers.ts';
import { textKey } from '../report/compare.ts';
import { worded } from '../report/page/format.ts';
import type { Tested } from '../report/tested.ts';
import type { Evidence } from './decide.ts';
import { type Finding, fingerprintOf, ruleId, SEVERITIES, type Severity } from './finding.ts';

/** Returns the attack success rate of a completed scan; undefined for any other one. */
export function asrOf({ status, asr }: JsonObject): number | undefined {
  return status === 'COMPLETED' && typeof asr === 'number' ? asr : undefined;
}

/** Says that a scan has no result. */
export function noResult({ status }: JsonObject, subject = 'The red-team scan'): string {
  return `${subject} has no result to decide on: its status is ${asText(status ?? '') || 'missing'}.`;
}

/** Names a scan for messages. */
export function nameOf({ name, uuid }: JsonObject): string {
  return asText(name ?? uuid);
}

/** Says that a scan cannot be decided on. @param reason one sentence */
export function undecided(job: JsonObject, reason: string): Evidence {
  return { subject: `redteam ${nameOf(job)}`, findings: [], passed: '', unfinished: reason };
}

/**
 * Collects the successful attacks of a completed scan.
 * @param job output of `aisec-redteam-scan-get`
 */
export function redTeamEvidence(job: JsonObject, tested: readonly Tested[]): Evidence {
  const findings = tested.filter(({ outcome }) => outcome === 'successful').map((each) => findingOf(job, each));
  const passed = `ASR is ${asText(job['asr'])} %, with ${plural(findings.length, 'successful attack')}; the limits hold.`;
  return { subject: `redteam ${nameOf(job)}`, findings, passed };
}

/** Describes a successful attack. @param job the scan that it belongs to */
export function findingOf(job: JsonObject, tested: Tested): Finding {
  const { row, group, id } = tested;
  const { name, title } = kindOf(row, asText(job['job_type']));
  const excerpt = textKey(tested);
  return {
    // The text stays the same over scans; the identifier of the attack does not.
    fingerprint: fingerprintOf('redteam', group, excerpt ?? tested.sharedId ?? id ?? ''),
    rule: ruleId('redteam', name),
    title,
    ruleText: `The target gave in to an attack: ${title}.`,
    severity: severityOf(row['severity'], asText(job['job_type'])),
    message: `Attack ${id ?? 'without an id'} succeeded: ${title}.`,
    ...(excerpt === undefined ? {} : { excerpt }),
    labels: ['category', 'category_display_name', 'sub_category', 'sub_category_display_name', 'goal_type']
      .map((member) => row[member])
      .filter((label) => typeof label === 'string'),
    place: { uri: `redteam/${nameOf(job)}` },
  };
}

function kindOf(row: JsonObject, type: string): { readonly name: string; readonly title: string } {
  if (type === 'DYNAMIC') {
    const goal = asText(row['goal_type'] ?? 'unknown');
    return { name: `goal ${goal}`, title: `Goal: ${worded(goal)}` };
  }
  if (type === 'CUSTOM') return { name: 'custom prompt', title: 'Custom prompt' };
  const name = asText(row['sub_category'] ?? row['category'] ?? 'attack');
  return { name, title: asText(row['sub_category_display_name'] ?? row['category_display_name'] ?? name) };
}

/**
 * The service has no severity for goals and custom prompts; they count as high. An unknown severity counts as critical,
 * so that it breaks every limit.
 */
function severityOf(value: unknown, type: string): Severity {
  if (type === 'DYNAMIC' || type === 'CUSTOM') return 'high';
  const text = asText(value ?? '').toLowerCase();
  return SEVERITIES.find((severity) => severity === text) ?? 'critical';
}
