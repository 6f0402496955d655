/** The gate on a model: a scan that is blocked fails, and one that has no outcome yet is no pass. */
import { asText, type JsonObject, objectsOf } from '../json.ts';
import { type Finding, ruleId, type Verdict } from './verdict.ts';

/**
 * @param scan what `aisec-model-security-scans-get` left
 * @param violations rows of `aisec-model-security-scans-violations`
 */
export function modelVerdict(scan: JsonObject, violations: unknown): Verdict {
  const outcome = asText(scan['eval_outcome'] ?? '');
  const subject = `model ${asText(scan['uuid'])}`;
  const uri = asText(scan['model_uri'] ?? 'model');
  const findings = objectsOf(violations).map((violation) => findingOf(violation, uri));
  const blocking = findings.filter(({ severity }) => severity === 'high').length;
  if (outcome === 'ALLOWED') {
    return {
      subject,
      failed: false,
      summary: `${uri} is allowed; ${findings.length} violations do not block.`,
      findings,
    };
  }
  if (outcome === 'BLOCKED') {
    return { subject, failed: true, summary: `${uri} is blocked by ${blocking} violations.`, findings };
  }
  const reason = [scan['error_code'], scan['error_message']].filter(Boolean).join(': ');
  const unfinished = `The scan of ${uri} has no verdict: its outcome is ${outcome || 'missing'}${reason === '' ? '' : ` (${reason})`}.`;
  return { subject, failed: false, unfinished, summary: unfinished, findings };
}

function findingOf(violation: JsonObject, model: string): Finding {
  const rule = asText(violation['rule_name'] ?? 'unnamed rule');
  const file = asText(violation['file'] ?? '');
  const details = [violation['description'], violation['threat_description'], violation['threat']].filter(Boolean);
  return {
    rule: ruleId('model', rule),
    ruleText: asText(violation['rule_description'] ?? rule),
    severity: violation['rule_instance_state'] === 'BLOCKING' ? 'high' : 'medium',
    message: details.length === 0 ? rule : details.map(String).join(' '),
    place: { uri: file === '' ? model : file },
  };
}
