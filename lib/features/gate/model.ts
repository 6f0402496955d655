/** The gate on a model: a blocked scan fails, and a scan without an outcome does not pass. */

import { ServiceError, ValidationError } from '../../core/errors.ts';
import { asText } from '../../core/json.ts';
import { problemIn } from '../../core/places.ts';
import { grouped, plural } from '../../core/text/numbers.ts';
import { didYouMean } from '../../runtime/arguments/suggest.ts';
import type { RunCommand } from '../../runtime/engine/command-port.ts';
import { type ModelScan, type OutputOf, runCommand } from '../scans/commands.ts';
import type { Violation } from '../scans/violations.ts';
import { atMost, type Evidence, type Limit } from './decide.ts';
import { type Finding, fingerprintOf, ruleId, sentencesOf } from './finding.ts';
import { type PolicyFile, placeIn } from './policy/policy.ts';

const BLOCKING = 'BLOCKING';
const STATES = [BLOCKING, 'ALLOWING', 'DISABLED'];
const UNNAMED = 'unnamed rule';
/** Replaces the address in sentences that are shown next to it. */
const THE_MODEL = 'the model';
/** Far more than the number of rules that the service has. */
const MAX_RULES = 5000;

export function modelEvidence(scan: ModelScan, violations: readonly Violation[]): Evidence {
  const uri = scan.model_uri ?? 'model';
  const findings = violations.map((violation) => findingOf(violation, uri));
  const skipped = scan.total_files_skipped ?? 0;
  const evidence = {
    subject: `model ${asText(scan.uuid)}`,
    see: `!aisec-model-security-scans-get uuid=${asText(scan.uuid)}`,
    findings,
    ...(skipped > 0 ? { remark: `The scan skipped ${plural(skipped, 'file')}.` } : {}),
  };
  const named = { kind: 'model', id: asText(scan.uuid), address: uri };
  const outcome = scan.eval_outcome ?? '';
  if (hasOutcome(scan)) {
    const count = plural(findings.length, 'violation');
    const passed = (name: string) => `${name} is ${outcome.toLowerCase()}; of ${count}, none breaks a limit.`;
    return { ...evidence, passed: passed(uri), named: { ...named, passed: passed(THE_MODEL) } };
  }
  const reason = [scan.error_code, scan.error_message].filter(Boolean).join(': ');
  const why = `has no verdict: its outcome is ${outcome || 'missing'}${reason === '' ? '' : ` (${reason})`}.`;
  const unfinished = `The scan of ${uri} ${why}`;
  return { ...evidence, passed: '', unfinished, named: { ...named, passed: '', unfinished: `The scan ${why}` } };
}

/** Reports whether a scan has reached a decision; its evidence may still be incomplete. */
export function hasOutcome({ eval_outcome: outcome }: ModelScan): boolean {
  return outcome === 'ALLOWED' || outcome === 'BLOCKED';
}

function findingOf(violation: Violation, model: string): Finding {
  const { rule_name: rule = UNNAMED, rule_instance_state: state = '', file = '', remediation } = violation;
  const { description, threat_description, threat } = violation;
  const details = [description, threat_description, threat].filter(Boolean);
  return {
    fingerprint: fingerprintOf('model', model, rule, file),
    rule: ruleId('model', rule),
    title: rule,
    ruleText: violation.rule_description ?? rule,
    severity: state === BLOCKING ? 'high' : 'medium',
    message: details.length === 0 ? rule : details.map(String).join(' '),
    explained: { texts: [description, threat_description].filter(Boolean).map(asText), check: asText(threat ?? '') },
    labels: [rule, state],
    ...(remediation === undefined ? {} : { remediation }),
    place: { uri: file === '' ? model : file },
  };
}

/** Builds the limits: those of the policy or, without a policy, of the security group. */
export function modelLimits(scan: ModelScan, file: PolicyFile | undefined): Limit[] {
  const { fail_on, rules = {} } = file?.policy.model ?? {};
  const source = (path: readonly string[]) =>
    file === undefined ? { source: 'the security group' } : placeIn(file, path);
  const uri = scan.model_uri ?? 'The model';
  const isBroken = ({ title, labels }: Finding) =>
    !Object.hasOwn(rules, title) && (fail_on === 'any' || labels.includes(BLOCKING));
  const isStateless = ({ title, labels: [, state = ''] }: Finding) =>
    !Object.hasOwn(rules, title) && !STATES.includes(state);
  const doubtIf = (isUnclear: (finding: Finding) => boolean, what: string) => (open: readonly Finding[]) => {
    const count = open.filter(isUnclear).length;
    return count === 0 ? undefined : `The list of violations has ${plural(count, 'violation')} without ${what}.`;
  };
  const counted = (count: number) => `has ${plural(count, 'violation')} that ${count === 1 ? 'blocks' : 'block'}`;
  const general: Limit = {
    ...source(fail_on === undefined ? ['model'] : ['model', 'fail_on']),
    ...atMost({
      max: 0,
      among: (open) => open.filter(isBroken),
      reason: (count) => `${uri} ${counted(count)}`,
      brief: (count) => `${THE_MODEL} ${counted(count)}`,
    }),
    doubt: doubtIf(isStateless, 'the state of its rule'),
  };
  const byRule = Object.keys(rules)
    .filter((name) => rules[name] === 'fail')
    .map((name) => ({
      ...source(['model', 'rules', name]),
      ...atMost({
        max: 0,
        among: (open) => open.filter(({ title }) => title === name),
        reason: () => `${uri} violates ${name}`,
        brief: () => `${THE_MODEL} violates ${name}`,
      }),
      doubt: doubtIf(({ title }) => title === UNNAMED, 'the name of its rule'),
    }));
  return [...(fail_on === 'none' ? [] : [general]), ...byRule];
}

/**
 * A blocked scan without a violation that explains it cannot pass: the list may be incomplete.
 * @param evidence of a finished scan
 */
export function unexplainedBlock(scan: ModelScan, { findings }: Evidence): Limit[] {
  const isExplained = findings.some(({ labels }) => labels.includes(BLOCKING));
  if (scan.eval_outcome !== 'BLOCKED' || isExplained) return [];
  const why = 'is blocked, and no violation says why';
  const [reason, brief] = [`${scan.model_uri ?? 'The model'} ${why}`, `${THE_MODEL} ${why}`];
  return [{ source: 'the outcome of the scan', check: () => ({ reason, brief, by: [] }) }];
}

/**
 * Looks up the rules that a policy names, unless the violations already name them.
 * @throws ValidationError for a rule that does not exist: its level would have no effect
 * @throws ServiceError if the rules cannot all be read
 */
export async function checkRuleNames(
  { policy, source }: PolicyFile,
  violations: readonly Pick<Finding, 'title'>[],
  run: RunCommand,
): Promise<void> {
  const violated = new Set(violations.map(({ title }) => title));
  const open = Object.keys(policy.model?.rules ?? {}).filter((name) => !violated.has(name));
  if (open.length === 0) return;
  const { records, incomplete } = await runCommand(run, 'aisec-model-security-rules-list', { limit: MAX_RULES });
  const names = records.flatMap(({ name }) => name ?? []);
  const unknown = open.filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  if (names.length === 0 || incomplete === true) {
    throw new ServiceError(`The rules that the policy names cannot be checked: ${unknown.join(', ')}.`, {
      hint: 'This is not a pass: compare the names with !aisec-model-security-rules-list.',
    });
  }
  throw new ValidationError(
    unknown.map((name) => {
      const message = `model.rules.${name} is not a rule of the service.`;
      const list = 'Rules: !aisec-model-security-rules-list.';
      const near = didYouMean(name, names);
      return {
        ...problemIn(source, ['model', 'rules', name], message),
        hint: near === undefined ? list : `${near} ${list}`,
      };
    }),
  );
}

/**
 * Explains why a model scan with an outcome is not enough to decide: it reports an error, or did not run its rules on
 * any file.
 */
export function unexamined(scan: ModelScan): string | undefined {
  const { error_code, error_message, total_rules, enabled_rule_count_snapshot: enabled } = scan;
  const { rules_passed, rules_failed, total_files_scanned: files } = scan;
  const error = [error_code, error_message].filter(Boolean).join(': ');
  const rules = total_rules || (enabled ?? 0);
  const [passed, failed] = [rules_passed ?? 0, rules_failed ?? 0];
  const ran = passed + failed;
  return sentencesOf(
    error === '' ? undefined : `The scan reports an error: ${error}.`,
    ran > 0 && ran === rules ? undefined : `The scan ran ${grouped(ran)} of ${plural(rules, 'rule')}.`,
    enabled === undefined || enabled === null || enabled === rules
      ? undefined
      : `The scan counts ${plural(rules, 'rule')}, and its group has ${grouped(enabled)} enabled.`,
    failed < 0 ? `The scan counts ${plural(failed, 'failed rule')}.` : undefined,
    (files ?? 0) > 0 ? undefined : noFiles(files),
  );
}

function noFiles(files: ModelScan['total_files_scanned']): string {
  return typeof files === 'number' ? 'No file was scanned.' : 'The scan does not say how many files it scanned.';
}

export function incompleteViolations(
  { rules_failed }: ModelScan,
  { gap, incomplete, record }: OutputOf<'aisec-model-security-scans-violations'>,
): string | undefined {
  const failed = rules_failed ?? 0;
  const violations = record.violations ?? [];
  const ids = violations.map(({ uuid }) => uuid ?? undefined).filter((id) => id !== undefined);
  const named = new Set(violations.map(({ rule_instance_uuid, rule_name }) => rule_instance_uuid ?? rule_name)).size;
  const reason =
    gap ??
    (incomplete === true ? `It is cut after ${plural(violations.length, 'violation')}.` : undefined) ??
    (new Set(ids).size < ids.length ? 'The service lists one violation twice.' : undefined) ??
    (named < failed ? `${plural(failed, 'rule')} failed, and the list of violations names ${named}.` : undefined);
  return reason === undefined ? undefined : `The list of violations is not complete: ${reason}`;
}
