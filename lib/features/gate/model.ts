/** The gate on a model: a blocked scan fails, and a scan without an outcome does not pass. */
import { asText, type JsonObject, objectsOf } from '../../engine/json.ts';
import { plural } from '../../text/numbers.ts';
import type { Evidence, Limit } from './decide.ts';
import { type Finding, fingerprintOf, ruleId } from './finding.ts';
import { type ModelPolicy, type PolicyFile, placeIn } from './policy/policy.ts';
import { remediationOf } from './remediation.ts';

const BLOCKING = 'BLOCKING';

/**
 * Collects what a model scan has found.
 * @param scan output of `aisec-model-security-scans-get`
 * @param violations rows of `aisec-model-security-scans-violations`
 */
export function modelEvidence(scan: JsonObject, violations: unknown): Evidence {
  const outcome = asText(scan['eval_outcome'] ?? '');
  const uri = asText(scan['model_uri'] ?? 'model');
  const findings = objectsOf(violations).map((violation) => findingOf(violation, uri));
  const evidence = { subject: `model ${asText(scan['uuid'])}`, findings };
  if (outcome === 'ALLOWED' || outcome === 'BLOCKED') {
    const count = plural(findings.length, 'violation');
    return { ...evidence, passed: `${uri} is ${outcome.toLowerCase()}; of ${count}, none breaks a limit.` };
  }
  const reason = [scan['error_code'], scan['error_message']].filter(Boolean).join(': ');
  const unfinished = `The scan of ${uri} has no verdict: its outcome is ${outcome || 'missing'}${reason === '' ? '' : ` (${reason})`}.`;
  return { ...evidence, passed: '', unfinished };
}

function findingOf(violation: JsonObject, model: string): Finding {
  const rule = asText(violation['rule_name'] ?? 'unnamed rule');
  const file = asText(violation['file'] ?? '');
  const details = [violation['description'], violation['threat_description'], violation['threat']].filter(Boolean);
  const state = asText(violation['rule_instance_state'] ?? '');
  const remediation = remediationOf(violation['remediation']);
  return {
    fingerprint: fingerprintOf('model', model, rule, file),
    rule: ruleId('model', rule),
    title: rule,
    ruleText: asText(violation['rule_description'] ?? rule),
    severity: state === BLOCKING ? 'high' : 'medium',
    message: details.length === 0 ? rule : details.map(String).join(' '),
    labels: [rule, state],
    ...(remediation === undefined ? {} : { remediation }),
    place: { uri: file === '' ? model : file },
  };
}

/**
 * Builds the limits: without a policy, those of the security group.
 * @param scan output of `aisec-model-security-scans-get`
 */
export function modelLimits(scan: JsonObject, file: PolicyFile | undefined): Limit[] {
  const { fail_on = 'blocking', rules = {} }: ModelPolicy = file?.policy.model ?? {};
  const source = (path: readonly string[]) =>
    file === undefined ? { source: 'the security group' } : placeIn(file, path);
  const uri = asText(scan['model_uri'] ?? 'The model');
  const isNamed = ({ title }: Finding) => Object.hasOwn(rules, title);
  const counts = (finding: Finding) => fail_on === 'any' || finding.labels.includes(BLOCKING);
  const general: Limit = {
    ...source(file?.policy.model?.fail_on === undefined ? ['model'] : ['model', 'fail_on']),
    check: (open) => {
      const by = open.filter((finding) => !isNamed(finding) && counts(finding));
      if (by.length > 0)
        return {
          reason: `${uri} has ${plural(by.length, 'violation')} that ${by.length === 1 ? 'blocks' : 'block'}`,
          by,
        };
      return undefined;
    },
  };
  const named = Object.keys(rules).filter((name) => rules[name] === 'fail');
  const byRule = named.map(
    (name): Limit => ({
      ...source(['model', 'rules', name]),
      check: (open) => {
        const by = open.filter(({ title }) => title === name);
        return by.length === 0 ? undefined : { reason: `${uri} violates ${name}`, by };
      },
    }),
  );
  return [...(fail_on === 'none' ? [] : [general]), ...byRule];
}

/**
 * A scan that is blocked without a violation that explains it cannot pass: the list may be incomplete.
 * @param evidence of a finished scan
 */
export function unexplainedBlock(scan: JsonObject, { findings }: Evidence): Limit[] {
  const isExplained = findings.some(({ labels }) => labels.includes(BLOCKING));
  if (scan['eval_outcome'] !== 'BLOCKED' || isExplained) return [];
  const reason = `${asText(scan['model_uri'] ?? 'The model')} is blocked, and no violation says why`;
  return [{ source: 'the outcome of the scan', check: () => ({ reason, by: [] }) }];
}
