/** Evidence from a response: every member of the findings, and the summary. */

import { fingerprintOf } from '../../../lib/features/gate/finding.ts';
import { findingOf, noResult, redTeamEvidence } from '../../../lib/features/gate/red-team.ts';
import { readAttack } from '../../../lib/features/report/model.ts';
import type { Tested } from '../../../lib/features/report/tested.ts';
import { modelVerdict, policyOf } from './support.ts';

const SCAN = { uuid: 'u', model_uri: 'hf://m', eval_outcome: 'ALLOWED' };
const VIOLATION = {
  rule_name: 'Load Time Code',
  rule_description: 'No code at load time.',
  rule_instance_state: 'BLOCKING',
  description: 'It runs code.',
  threat_description: 'It calls os.system.',
  threat: 'PAIT-1',
  file: 'weights.pkl',
};

describe('the gate on a model', () => {
  test.each([
    {
      what: 'every member',
      violation: { ...VIOLATION, remediation: { steps: ['Load weights only.'] } },
      expected: {
        explained: { texts: ['It runs code.', 'It calls os.system.'], check: 'PAIT-1' },
        remediation: { steps: ['Load weights only.'] },
        fingerprint: fingerprintOf('model', 'hf://m', 'Load Time Code', 'weights.pkl'),
        ...{ rule: 'aisec/model/load-time-code', title: 'Load Time Code', ruleText: 'No code at load time.' },
        ...{
          severity: 'high',
          message: 'It runs code. It calls os.system. PAIT-1',
          labels: ['Load Time Code', 'BLOCKING'],
        },
        place: { uri: 'weights.pkl' },
      },
    },
    {
      what: 'only a part',
      violation: { rule_name: 'Odd', rule_instance_state: 'ALLOWING', threat: '', description: 'It is odd.' },
      expected: {
        fingerprint: fingerprintOf('model', 'hf://m', 'Odd', ''),
        ...{ rule: 'aisec/model/odd', title: 'Odd', ruleText: 'Odd', severity: 'medium', message: 'It is odd.' },
        ...{ labels: ['Odd', 'ALLOWING'], place: { uri: 'hf://m' } },
      },
    },
    {
      what: 'nothing',
      violation: { evidence: 1 },
      expected: {
        explained: { texts: [], check: '' },
        fingerprint: fingerprintOf('model', 'hf://m', 'unnamed rule', ''),
        ...{ rule: 'aisec/model/unnamed-rule', title: 'unnamed rule', ruleText: 'unnamed rule', severity: 'medium' },
        ...{ message: 'unnamed rule', labels: ['unnamed rule', ''], place: { uri: 'hf://m' } },
      },
    },
  ])('describes a violation that has $what', async ({ violation, expected }) => {
    const { findings, subject } = await modelVerdict(SCAN, [violation]);
    expect(findings).toEqual([expect.objectContaining(expected)]);
    expect(subject).toBe('model u');
  });

  test.each([
    {
      scan: SCAN,
      violations: [],
      policy: '',
      failed: false,
      summary: 'hf://m is allowed; of 0 violations, none breaks a limit.',
      source: 'the security group',
    },
    {
      scan: { ...SCAN, eval_outcome: 'BLOCKED' },
      violations: [],
      policy: '',
      failed: true,
      summary: 'hf://m is blocked, and no violation says why',
      source: 'the outcome of the scan',
    },
    {
      scan: { eval_outcome: 'BLOCKED' },
      violations: [],
      policy: '',
      failed: true,
      summary: 'The model is blocked, and no violation says why',
      source: 'the outcome of the scan',
    },
    {
      scan: SCAN,
      violations: [VIOLATION],
      policy: '',
      failed: true,
      summary: 'hf://m has 1 violation that blocks',
      source: 'the security group',
    },
    {
      scan: SCAN,
      violations: [VIOLATION, VIOLATION],
      policy: 'model: {}',
      failed: true,
      summary: 'hf://m has 2 violations that block',
      source: 'aisec-policy.yml:2, model',
    },
    {
      scan: { eval_outcome: 'ALLOWED' },
      violations: [{ ...VIOLATION, rule_instance_state: 'ALLOWING' }],
      policy: 'model:\n  fail_on: any',
      failed: true,
      summary: 'The model has 1 violation that blocks',
      source: 'aisec-policy.yml:3, model.fail_on',
    },
    {
      scan: SCAN,
      violations: [{ ...VIOLATION, rule_instance_state: 'ALLOWING' }],
      policy: 'model:\n  rules:\n    Load Time Code: fail',
      failed: true,
      summary: 'hf://m violates Load Time Code',
      source: 'aisec-policy.yml:4, model.rules.Load Time Code',
    },
  ])('says "$summary", by $source', async ({ scan, violations, policy, failed, summary, source }) => {
    const verdict = await modelVerdict(scan, violations, policy === '' ? undefined : await policyOf(policy));
    const broken = verdict.limits.filter((limit) => limit.broken !== undefined);
    expect({ failed: verdict.failed, unfinished: verdict.unfinished }).toEqual({ failed, unfinished: undefined });
    expect(verdict.summary).toContain(summary);
    expect(verdict.named).toMatchObject({
      kind: 'model',
      summary: expect.stringContaining(summary.replace(/^(hf:\/\/m|The model)/, 'the model')),
    });
    expect(broken.length === 0 ? verdict.limits : broken).toMatchObject([{ source }]);
  });

  test.each([
    { scan: { eval_outcome: 'ERROR', error_code: 'E1', error_message: 'no files' }, why: 'ERROR (E1: no files)' },
    { scan: { eval_outcome: 'PENDING' }, why: 'PENDING' },
    { scan: { error_message: 'no files' }, why: 'missing (no files)' },
    { scan: {}, why: 'missing' },
  ])('has no verdict on an outcome that is $why', async ({ scan, why }) => {
    const { unfinished, failed, named, see } = await modelVerdict({ uuid: 'u', ...scan }, []);
    expect({ unfinished, failed, see }).toEqual({
      unfinished: `The scan of model has no verdict: its outcome is ${why}.`,
      failed: false,
      see: '!aisec-model-security-scans-get uuid=u',
    });
    const summary = `The scan has no verdict: its outcome is ${why}.`;
    expect(named).toEqual({ kind: 'model', id: 'u', address: 'model', summary });
  });
});

const TESTED = { id: 'a1', sharedId: 'p1', text: 'Tell me.', group: 'g', outcome: 'successful' } as unknown as Tested;
const rowOf = (row: object): Tested => ({ ...TESTED, row: readAttack(row) });

describe('the gate on a red-team scan', () => {
  test.each([
    {
      job: { name: 'nightly', job_type: 'STATIC' },
      row: { severity: 'LOW', category: 'SAFETY', sub_category: 'BIAS', sub_category_display_name: 'Bias' },
      expected: { rule: 'aisec/redteam/bias', title: 'Bias', severity: 'low', labels: ['SAFETY', 'BIAS', 'Bias'] },
      uri: 'redteam/nightly',
    },
    {
      job: { uuid: 'u', job_type: 'STATIC' },
      row: { severity: 'ODD', category: 'SAFETY', category_display_name: 'Safety' },
      expected: {
        ...{ rule: 'aisec/redteam/safety', title: 'Safety', severity: 'critical', labels: ['SAFETY', 'Safety'] },
        hasNoSeverity: true,
      },
      uri: 'redteam/u',
    },
    {
      job: { uuid: 'u', job_type: 'STATIC' },
      row: { goal_type: 7 },
      expected: {
        ...{ rule: 'aisec/redteam/attack', title: 'attack', severity: 'critical', labels: [] },
        hasNoSeverity: true,
      },
      uri: 'redteam/u',
    },
    {
      job: { uuid: 'u', job_type: 'DYNAMIC' },
      row: { goal_type: 'TOOL_MISUSE', severity: 'LOW' },
      expected: {
        rule: 'aisec/redteam/goal-tool-misuse',
        title: 'Goal: Tool misuse',
        severity: 'high',
        labels: ['TOOL_MISUSE'],
      },
      uri: 'redteam/u',
    },
    {
      job: { uuid: 'u', job_type: 'DYNAMIC' },
      row: {},
      expected: { rule: 'aisec/redteam/goal-unknown', title: 'Goal: unknown', severity: 'high', labels: [] },
      uri: 'redteam/u',
    },
    {
      job: { uuid: 'u', job_type: 'CUSTOM' },
      row: { severity: 'LOW', category: 'X' },
      expected: { rule: 'aisec/redteam/custom-prompt', title: 'Custom prompt', severity: 'high', labels: ['X'] },
      uri: 'redteam/u',
    },
  ])('describes a successful attack as $expected.title', ({ job, row, expected, uri }) => {
    const { title } = expected;
    expect(findingOf(job, rowOf(row))).toEqual({
      ...expected,
      fingerprint: fingerprintOf('redteam', 'g', 'Tell me.'),
      ruleText: `The target gave in to an attack: ${title}.`,
      message: `Attack a1 succeeded: ${title}.`,
      excerpt: 'Tell me.',
      place: { uri },
    });
  });

  test.each([
    { id: 'a1', sharedId: 'p1', by: 'p1', message: 'Attack a1 succeeded: attack.' },
    { id: 'a1', sharedId: undefined, by: 'a1', message: 'Attack a1 succeeded: attack.' },
    { id: undefined, sharedId: undefined, by: '', message: 'Attack without an id succeeded: attack.' },
  ])('identifies an attack without a text by "$by"', ({ by, message, ...ids }) => {
    const found = findingOf({ uuid: 'u' }, { ...rowOf({}), ...ids, text: undefined });
    expect(found).toMatchObject({ fingerprint: fingerprintOf('redteam', 'g', by), message });
    expect(found).not.toHaveProperty('excerpt');
  });

  test('counts only successful attacks', () => {
    const tested = [
      rowOf({}),
      { ...rowOf({}), outcome: 'withstood' as const },
      { ...rowOf({}), outcome: 'unanswered' as const },
    ];
    const { findings, passed, subject } = redTeamEvidence({ name: 'nightly', asr: 12.5 }, tested);
    expect([findings.length, passed, subject]).toEqual([
      1,
      'ASR is 12.5 %, with 1 successful attack; the limits hold.',
      'redteam nightly',
    ]);
  });

  test.each([
    [noResult({ status: 'RUNNING' }), 'The red-team scan has no result to decide on: its status is RUNNING.'],
    [noResult({}, 'The baseline'), 'The baseline has no result to decide on: its status is missing.'],
  ])('reports: %s', (said, expected) => {
    expect(said).toBe(expected);
  });
});
