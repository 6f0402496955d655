/** The gate on models: its findings, its limits, and the reasons why a scan or its violations do not count as evidence. */

import { ServiceError, ValidationError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import { fingerprintOf, ruleId } from '../../../lib/features/gate/finding.ts';
import { checkRuleNames, incompleteViolations } from '../../../lib/features/gate/model.ts';
import type { CommandOutput } from '../../../lib/runtime/engine/command-port.ts';
import { failing } from '../../support/exchange.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { modelVerdict, policyOf, type Row } from './support.ts';

const SCAN = { uuid: 'u', model_uri: 'hf://m', eval_outcome: 'ALLOWED' };
const BLOCKED = { ...SCAN, eval_outcome: 'BLOCKED' };
const BLOCKING = {
  ...{ rule_name: 'Load Time Code', rule_description: 'No code at load time.', rule_instance_state: 'BLOCKING' },
  ...{ description: 'It runs code.', threat_description: 'It calls os.system.', threat: 'PAIT-1', file: 'weights.pkl' },
};
const ALLOWING = { ...BLOCKING, rule_name: 'Licence', rule_instance_state: 'ALLOWING', file: null };

describe('a violation', () => {
  test.each([
    {
      what: 'every member',
      violation: { ...BLOCKING, remediation: { steps: ['Load weights only.'] } },
      expected: {
        ...{ rule: 'aisec/model/load-time-code', title: 'Load Time Code', ruleText: 'No code at load time.' },
        ...{ severity: 'high', message: 'It runs code. It calls os.system. PAIT-1', place: { uri: 'weights.pkl' } },
        explained: { texts: ['It runs code.', 'It calls os.system.'], check: 'PAIT-1' },
        ...{ labels: ['Load Time Code', 'BLOCKING'], remediation: { steps: ['Load weights only.'] } },
        fingerprint: fingerprintOf('model', 'hf://m', 'Load Time Code', 'weights.pkl'),
      },
    },
    {
      what: 'only a part',
      violation: { rule_name: 'Odd', rule_instance_state: 'ALLOWING', threat: '', description: 'It is odd.' },
      expected: {
        ...{ rule: 'aisec/model/odd', title: 'Odd', ruleText: 'Odd', severity: 'medium', message: 'It is odd.' },
        ...{ labels: ['Odd', 'ALLOWING'], place: { uri: 'hf://m' } },
        fingerprint: fingerprintOf('model', 'hf://m', 'Odd', ''),
      },
    },
    {
      what: 'nothing',
      violation: { evidence: 1 },
      expected: {
        ...{ rule: 'aisec/model/unnamed-rule', title: 'unnamed rule', ruleText: 'unnamed rule', severity: 'medium' },
        ...{ message: 'unnamed rule', labels: ['unnamed rule', ''], explained: { texts: [], check: '' } },
        fingerprint: fingerprintOf('model', 'hf://m', 'unnamed rule', ''),
      },
    },
  ])('is a finding, with $what', async ({ violation, expected }) => {
    const { findings, subject } = await modelVerdict(SCAN, [violation]);
    expect(findings).toEqual([expect.objectContaining(expected)]);
    expect(subject).toBe('model u');
  });

  test('has a rule whose name becomes the same id in each run', () => {
    expect(ruleId('model', 'Stored In  Approved/File Format!')).toBe('aisec/model/stored-in-approved-file-format');
    expect(ruleId('model', '???')).toBe('aisec/model/unnamed');
    expect(ruleId('model', ` ${'x'.repeat(81)}`)).toBe(`aisec/model/${'x'.repeat(80)}`);
  });
});

describe('the limits of a model', () => {
  const rows = [BLOCKING, ALLOWING];
  const NONE = 'hf://m is allowed; of 0 violations, none breaks a limit.';

  test.each<{ scan?: Row; rows: readonly Row[]; policy?: string; failed: boolean; summary: string; at: string }>([
    { rows: [], failed: false, summary: NONE, at: 'the security group' },
    { scan: BLOCKED, rows, failed: true, summary: 'hf://m has 1 violation that blocks', at: 'the security group' },
    {
      rows: [BLOCKING, { ...BLOCKING, file: 'b' }],
      policy: 'model: {}',
      ...{ failed: true, summary: 'hf://m has 2 violations that block', at: 'aisec-policy.yml:2, model' },
    },
    { rows, policy: 'bulk: {}', failed: true, summary: 'hf://m has 1', at: 'aisec-policy.yml:1, model' },
    {
      scan: { eval_outcome: 'ALLOWED', model_uri: null },
      rows: [ALLOWING],
      policy: 'model:\n  fail_on: any',
      ...{ failed: true, summary: 'The model has 1 violation that blocks', at: 'aisec-policy.yml:3, model.fail_on' },
    },
    {
      rows: [ALLOWING],
      policy: 'model:\n  rules:\n    Licence: fail',
      ...{ failed: true, summary: 'hf://m violates Licence', at: 'aisec-policy.yml:4, model.rules.Licence' },
    },
    {
      scan: BLOCKED,
      rows: [],
      ...{ failed: true, summary: 'hf://m is blocked, and no violation says why', at: 'the outcome of the scan' },
    },
    {
      scan: BLOCKED,
      rows: [ALLOWING],
      policy: 'model: {fail_on: none}',
      ...{ failed: true, summary: 'hf://m is blocked, and no violation says why', at: 'the outcome of the scan' },
    },
  ])('say "$summary", by $at', async ({ scan = SCAN, rows: found, policy, failed, summary, at }) => {
    const verdict = await modelVerdict(scan, found, policy === undefined ? undefined : await policyOf(policy));
    expect([verdict.failed, verdict.unfinished]).toEqual([failed, undefined]);
    expect(verdict.summary).toContain(summary);
    const brief = summary.replace(/^(hf:\/\/m|The model)/, 'the model');
    expect(verdict.named).toMatchObject({ kind: 'model', summary: expect.stringContaining(brief) });
    const broken = verdict.limits.filter((limit) => limit.broken !== undefined);
    expect(failed ? broken : verdict.limits).toMatchObject([{ source: at }]);
  });

  test.each([
    { policy: 'model: {fail_on: none}', failed: false, first: 'Load Time Code warning' },
    { policy: 'model: {rules: {Load Time Code: warn}}', failed: false, first: 'Load Time Code warning' },
    { policy: 'model: {fail_on: none, rules: {Licence: fail}}', failed: true, first: 'Licence failure' },
  ])('decide by $policy', async ({ policy, failed, first }) => {
    const { findings, ...verdict } = await modelVerdict(BLOCKED, rows, await policyOf(policy));
    expect([verdict.failed, `${findings[0]?.title} ${findings[0]?.level}`]).toEqual([failed, first]);
  });

  scenario.each([
    {
      what: 'the state',
      row: { rule_name: 'One' },
      policy: undefined,
      says: '1 violation without the state of its rule.',
    },
    {
      what: 'a known state',
      row: { rule_name: 'One', rule_instance_state: 'x' },
      ...{ policy: 'model: {}', says: 'state of its rule.' },
    },
    {
      what: 'the name',
      row: { rule_instance_state: 'ALLOWING' },
      ...{ policy: 'model: {rules: {One: fail}}', says: 'the name of its rule.' },
    },
  ])('gate-evidence', 'give no verdict on a violation without $what', async ({ row, policy, says }) => {
    const verdict = await modelVerdict(SCAN, [row], policy === undefined ? undefined : await policyOf(policy));
    expect(verdict).toMatchObject({ failed: false, unfinished: expect.stringContaining(says) });
  });

  test.each([
    { skipped: 7, remark: ' The scan skipped 7 files.' },
    { skipped: 1, remark: ' The scan skipped 1 file.' },
    { skipped: null, remark: '' },
  ])('mention $skipped skipped files', async ({ skipped, remark }) => {
    const { summary, named } = await modelVerdict({ ...SCAN, total_files_skipped: skipped }, []);
    expect([summary, named?.summary]).toEqual([NONE + remark, NONE.replace('hf://m', 'the model') + remark]);
  });
});

describe('a rule of a policy', () => {
  const decided = async (rules: string, known?: unknown) =>
    modelVerdict(SCAN, [ALLOWING], await policyOf(`model:\n  fail_on: none\n  rules:\n    ${rules}`), known);
  const RULES = [{ name: 'Verified organization' }];

  scenario('policy-names', 'that the tenant lacks is an error with line, column and near name', async () => {
    const error = await failing(decided('Verified organisation: fail', RULES));
    expect(error).toBeInstanceOf(ValidationError);
    const place = 'aisec-policy.yml:5:5: model.rules.Verified organisation';
    expect(error.message).toContain(`${place} is not a rule of the service.`);
    expect(error.hint).toContain('Did you mean "Verified organization"?');
    const other = await failing(decided('Zzzzzz: fail', RULES));
    expect(other.hint).toBe('Rules: !aisec-model-security-rules-list.');
  });

  scenario('policy-names', 'cannot be checked without a list of rules, so the gate does not pass', async () => {
    const error = await failing(decided('Verified organisation: fail\n    No such: warn', []));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      message: 'The rules that the policy names cannot be checked: Verified organisation, No such.',
      hint: 'This is not a pass: compare the names with !aisec-model-security-rules-list.',
    });
  });

  scenario('policy-names', 'cannot be checked with a truncated list', async () => {
    const policy = await policyOf('model: {rules: {No such: fail}}');
    const cut = async () => ({ record: {}, records: RULES, incomplete: true, simulated: false });
    expect(await failing(checkRuleNames(policy, [], cut))).toBeInstanceOf(ServiceError);
  });

  test.each(['Verified organization: fail', 'Licence: note'])('is known: %s', async (rules) => {
    expect((await decided(rules, RULES)).failed).toBe(false);
  });
});

describe('the evidence of a model scan', () => {
  test.each([
    { scan: { eval_outcome: 'ERROR', error_code: 'E1', error_message: 'no files' }, why: 'ERROR (E1: no files)' },
    { scan: { eval_outcome: 'PENDING' }, why: 'PENDING' },
    { scan: { eval_outcome: 'SOMETHING' }, why: 'SOMETHING' },
    { scan: { error_message: 'no files' }, why: 'missing (no files)' },
  ])('gives no verdict on an outcome that is $why', async ({ scan, why }) => {
    const { unfinished, failed, named, see } = await modelVerdict(scan, null);
    const says = `has no verdict: its outcome is ${why}.`;
    expect([unfinished, failed]).toEqual([`The scan of model ${says}`, false]);
    expect(see).toBe('!aisec-model-security-scans-get uuid=u');
    expect(named).toEqual({ kind: 'model', id: 'u', address: 'model', summary: `The scan ${says}` });
  });

  scenario.each([
    { scan: { error_code: 'SCAN_ERROR' }, says: 'The scan reports an error: SCAN_ERROR.' },
    { scan: { error_code: 'E', error_message: 'Broken' }, says: 'The scan reports an error: E: Broken.' },
    { scan: { rules_passed: 10, total_rules: 11 }, says: 'The scan ran 10 of 11 rules.' },
    { scan: { rules_passed: 30, total_rules: 11 }, says: 'The scan ran 30 of 11 rules.' },
    { scan: { rules_passed: 0, total_rules: 0 }, says: 'The scan ran 0 of 0 rules.' },
    { scan: { rules_passed: -1, total_rules: -1 }, says: 'The scan ran -1 of -1 rules.' },
    {
      scan: { rules_passed: null, rules_failed: null, total_rules: null, enabled_rule_count_snapshot: 9 },
      says: 'The scan ran 0 of 9 rules.',
    },
    {
      scan: { rules_passed: 8, total_rules: 8, enabled_rule_count_snapshot: 11 },
      says: 'The scan counts 8 rules, and its group has 11 enabled.',
    },
    { scan: { rules_passed: 3, total_rules: null }, says: 'The scan ran 3 of 0 rules.' },
    { scan: { rules_passed: 12, rules_failed: -1, total_rules: 11 }, says: 'The scan counts -1 failed rules.' },
    { scan: { total_files_scanned: 0, total_files_skipped: 7 }, says: 'No file was scanned.' },
    { scan: { total_files_scanned: null }, says: 'The scan does not say how many files it scanned.' },
    { scan: { uuid: 'v' }, says: 'The service sent another scan than the model scan u: v.' },
    { scan: { uuid: 7 }, says: 'The service does not say whether it sent the model scan u.' },
  ])('gate-evidence', 'gives no verdict on an allowed model: $says', async ({ scan, says }) => {
    expect(await modelVerdict({ ...SCAN, ...scan }, [])).toMatchObject({ failed: false, unfinished: says });
  });

  scenario('gate-evidence', 'fails on a blocked model, whatever else is missing', async () => {
    const scan = { ...BLOCKED, error_code: 'E', total_files_scanned: 0 };
    const { failed, summary } = await modelVerdict(scan, [BLOCKING]);
    expect([failed, summary]).toEqual([true, expect.stringContaining('reports an error: E. No file was scanned.')]);
  });

  const a = { uuid: 'a', rule_instance_uuid: 'r1', rule_name: 'One' };
  const b = { uuid: 'b', rule_instance_uuid: 'r2', rule_name: 'One' };
  const LIST = 'The list of violations is not complete:';
  test.each<[violations: readonly JsonObject[], failed: number, says?: string, more?: Partial<CommandOutput>]>([
    [[a, b], 2],
    [[{ rule_name: 'One' }, { rule_name: 'Two' }], 2],
    [[a, { ...a, uuid: 'c' }], 1],
    [
      [
        { ...a, uuid: null },
        { ...b, uuid: null },
      ],
      2,
    ],
    [[a], 1, `${LIST} It is cut after 1 violation.`, { incomplete: true }],
    [[a], 1, `${LIST} A page is missing.`, { gap: 'A page is missing.' }],
    [[a, b, a], 2, `${LIST} The service lists one violation twice.`],
    [[a], 2, `${LIST} 2 rules failed, and the list of violations names 1.`],
  ])('has the violations %j of %d failed rules, and reports: %s', (...[violations, failed, says, more = {}]) => {
    const output = { record: { violations }, records: [], simulated: false, ...more };
    expect(incompleteViolations({ rules_failed: failed }, output)).toBe(says);
  });
});
