/** The gate on a red-team scan: a success rate above the given one, or a successful attack of a severity, fails. */
import type { Ask } from '../ask.ts';
import { asText, type JsonObject, objectsOf } from '../json.ts';
import { type Finding, ruleId, SEVERITIES, type Severity, type Verdict } from './verdict.ts';

export interface RedTeamLimits {
  /** Highest attack success rate that passes, in percent. */
  readonly maxAsr: number | undefined;
  /** A successful attack of this severity or a higher one fails. */
  readonly failOn: Severity | undefined;
}

/**
 * Successful attacks, whatever the kind of the scan. Goals and prompts of one's own have no severity at the service; that they
 * succeeded is taken for high.
 */
export async function successesOf(job: JsonObject, jobId: string, ask: Ask): Promise<readonly JsonObject[]> {
  const threat = { job_id: jobId, threat: 'true', limit: MOST_ROWS };
  switch (job['job_type']) {
    case 'DYNAMIC': {
      const { records } = await ask('aisec-redteam-report-goals-list', { job_id: jobId, limit: MOST_ROWS });
      const achieved = records.filter((goal) => goal['threat'] === true);
      return achieved.map(({ uuid, goal_type }) => ({ uuid, severity: 'HIGH', category: `goal ${asText(goal_type)}` }));
    }
    case 'CUSTOM': {
      const { record } = await ask('aisec-redteam-custom-attacks-list', { job_id: jobId, limit: MOST_ROWS });
      const successful = objectsOf(record['attacks']).filter((attack) => attack['threat'] === true);
      return successful.map((attack) => ({ severity: 'HIGH', category: 'custom prompt', ...attack }));
    }
    default:
      return (await ask('aisec-redteam-report-attacks-list', threat)).records;
  }
}

/** More are not needed to decide, and no reader of the files takes them. */
const MOST_ROWS = '5000';

/**
 * @param job what `aisec-redteam-scan-get` left
 * @param attacks successful attacks, as `aisec-redteam-report-attacks-list` leaves them
 */
export function redTeamVerdict(job: JsonObject, attacks: unknown, { maxAsr, failOn }: RedTeamLimits): Verdict {
  const subject = `redteam ${asText(job['uuid'])}`;
  const status = asText(job['status'] ?? '');
  const findings = objectsOf(attacks).map((attack) => findingOf(attack, asText(job['name'] ?? job['uuid'])));
  const asr = typeof job['asr'] === 'number' ? job['asr'] : undefined;
  if (status !== 'COMPLETED' || asr === undefined) {
    const unfinished = `The red-team scan has no result to decide on: its status is ${status || 'missing'}.`;
    return { subject, failed: false, unfinished, summary: unfinished, findings };
  }
  const severe = failOn === undefined ? [] : findings.filter(({ severity }) => rank(severity) <= rank(failOn));
  const tooMany = maxAsr !== undefined && asr > maxAsr;
  const reasons = [
    tooMany ? `ASR ${asr} is above ${maxAsr}` : undefined,
    severe.length > 0 ? `${severe.length} successful attacks are ${failOn} or worse` : undefined,
  ].filter((reason) => reason !== undefined);
  const failed = reasons.length > 0;
  return {
    subject,
    failed,
    summary: failed ? `${reasons.join('; ')}.` : `ASR is ${asr}; the gate is passed.`,
    findings,
  };
}

function rank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

function findingOf(attack: JsonObject, job: string): Finding {
  const name = asText(attack['sub_category'] ?? attack['category'] ?? 'attack');
  const shown = asText(attack['sub_category_display_name'] ?? attack['category_display_name'] ?? name);
  return {
    rule: ruleId('redteam', name),
    ruleText: `The target gave in to an attack: ${shown}.`,
    severity: severityOf(attack['severity']),
    message: `Attack ${asText(attack['uuid'] ?? attack['attack_id'] ?? attack['id'] ?? 'without an id')} succeeded: ${shown}.`,
    place: { uri: job },
  };
}

function severityOf(value: unknown): Severity {
  const text = asText(value ?? '').toLowerCase();
  return SEVERITIES.find((severity) => severity === text) ?? 'medium';
}
