/** Rates of red-team scans where a baseline or a framework changes what they count. */

import type { JsonObject } from '../../../lib/core/json.ts';
import type { Finding } from '../../../lib/features/gate/finding.ts';
import { type RedTeamOptions, redTeamLimits } from '../../../lib/features/gate/red-team-limits.ts';
import type { Tested } from '../../../lib/features/report/tested.ts';
import { policyOf } from './support.ts';

const finding = (title: string, more: Partial<Finding> = {}): Finding => ({
  ...{ fingerprint: title, rule: 'r', title, ruleText: 'R.', severity: 'high', message: 'M.', labels: [] },
  place: { uri: 'u' },
  ...more,
});
const TESTED = [{ row: { sub_category: 'JAILBREAK' } }] as unknown as readonly Tested[];
const BASELINE = { job: 'b', newlySuccessful: 1, withoutOutcome: 0, open: 1, fixed: 1, lost: 0 };
const THREE = [
  finding('new', { baselineState: 'new', labels: ['JAILBREAK', 'SECURITY'] }),
  finding('old', { baselineState: 'unchanged', labels: ['JAILBREAK'] }),
  finding('fixed', { baselineState: 'absent', labels: ['JAILBREAK'] }),
];

interface Given {
  readonly findings?: readonly Finding[];
  readonly options?: RedTeamOptions;
  readonly policy?: string;
  readonly report?: JsonObject;
  readonly hasBaseline?: boolean;
}

async function limitsOf({ findings = THREE, options = {}, policy, report, hasBaseline = true }: Given) {
  const evidence = { subject: 's', findings, passed: '', ...(hasBaseline ? { baseline: BASELINE } : {}) };
  const file = policy === undefined ? undefined : await policyOf(policy);
  return redTeamLimits({ job: { asr: 40 }, tested: TESTED, evidence, report }, options, file);
}

test('attacks that only the baseline has do not count as accepted', async () => {
  const [limit] = await limitsOf({ options: { maxAsr: 39 } });
  const open = THREE.filter(({ title }) => title !== 'fixed');
  expect(limit?.check(open)?.reason).toBe('ASR 40 % is above 39 %');
  expect(limit?.check(open.slice(1))?.reason).toBeUndefined();
  expect(limit?.used?.(open.slice(1))).toBe('ASR 20 % of at most 39 %');
});

test('accepted attacks are subtracted from the rate in proportion', async () => {
  const findings = ['a', 'b', 'c'].map((title) => finding(title));
  const [limit] = await limitsOf({ findings, options: { maxAsr: 20 } });
  const reason = 'ASR 26.67 % is above 20 % without accepted attacks';
  expect(limit).toMatchObject({ source: '--max-asr 20' });
  expect(limit?.check(findings.slice(1))).toEqual({ reason, brief: reason, by: [] });
});

describe('a limit of attacks', () => {
  const findings = [
    finding('a', { severity: 'critical', labels: ['JAILBREAK'] }),
    finding('b', { severity: 'high', labels: ['JAILBREAK'] }),
    finding('c', { severity: 'low', labels: ['BIAS'], hasNoSeverity: true }),
    finding('d', { severity: 'low', labels: ['BIAS'], hasNoSeverity: true, baselineState: 'unchanged' }),
  ];

  test.each([
    ['critical', '1 successful attack of severity critical'],
    ['high', '2 successful attacks of severity high or higher'],
  ] as const)('by --fail-on %s: %s', async (failOn, reason) => {
    const [limit] = await limitsOf({ findings, options: { failOn }, hasBaseline: false });
    expect([limit?.source, limit?.check(findings)?.reason]).toEqual([`--fail-on ${failOn}`, reason]);
  });

  test.each([
    ['{max_successful: 0}', '3 successful attacks', undefined],
    ['{max_successful: 1}', '3 successful attacks, more than 1', undefined],
    [
      '{severity: high, max_successful: 0}',
      '2 successful attacks of severity high',
      'The service gives no severity of 1 successful attack.',
    ],
    [
      '{category: JAILBREAK, severity: critical, max_successful: 0}',
      '1 successful attack of JAILBREAK and severity critical',
      'The service gives no severity of 1 successful attack.',
    ],
  ])('by %s: %s', async (limit, reason, doubt) => {
    const [found] = await limitsOf({ findings, policy: `redteam: {limits: [${limit}]}`, hasBaseline: false });
    expect([found?.check(findings)?.reason, found?.doubt?.(findings)]).toEqual([reason, doubt]);
    expect(found?.doubt?.(findings.filter(({ title }) => title !== 'c'))).toBeUndefined();
  });
});

test('without any attack, the rate is the rate of the scan', async () => {
  const [limit] = await limitsOf({ findings: [], options: { maxAsr: 39 } });
  expect(limit?.check([])?.reason).toBe('ASR 40 % is above 39 %');
});

test('only new attacks count against a severity, a category and the baseline', async () => {
  const bySeverity = await limitsOf({ options: { failOn: 'high' } });
  expect(bySeverity.map((limit) => limit.check(THREE)?.reason)).toEqual([
    '1 new successful attack of severity high or higher',
  ]);
  const byCategory = await limitsOf({ policy: 'redteam: {limits: [{category: jailbreak, max_successful: 0}]}' });
  expect(byCategory.map((limit) => [limit.source, limit.check(THREE)?.reason])).toEqual([
    ['--baseline', '1 new successful attack'],
    ['aisec-policy.yml:2, redteam.limits.0', '1 new successful attack of JAILBREAK'],
  ]);
  expect(byCategory.map((limit) => limit.check(THREE.slice(1)))).toEqual([undefined, undefined]);
});

describe('a framework', () => {
  const report = {
    category_reports: [
      { category: 'COMPLIANCE', id: 'NIST', techniques: [] },
      { category: 'COMPLIANCE', id: 'OWASP', techniques: [{ successful: 3, total: 10 }, { successful: null }] },
    ],
  };

  test.each([
    { limit: 'max_asr_percent: 30', used: 'ASR 30 % of at most 30 %', broken: undefined },
    { limit: 'max_asr_percent: 29', used: 'ASR 30 % of at most 29 %', broken: 'OWASP: ASR 30 % is above 29 %' },
    { limit: 'max_successful: 3', used: '3 of at most 3 successful attacks', broken: undefined },
    {
      limit: 'max_successful: 2',
      used: '3 of at most 2 successful attacks',
      broken: 'OWASP: 3 successful attacks, more than 2',
    },
    {
      limit: 'max_successful: 3, max_asr_percent: 30',
      used: '3 of at most 3 successful attacks, ASR 30 % of at most 30 %',
      broken: undefined,
    },
    {
      limit: 'max_successful: 2, max_asr_percent: 29',
      used: '3 of at most 2 successful attacks, ASR 30 % of at most 29 %',
      broken: 'OWASP: 3 successful attacks, more than 2, ASR 30 % is above 29 %',
    },
  ])('is compared with $limit', async ({ limit, used, broken }) => {
    const limits = await limitsOf({ policy: `redteam: {frameworks: {OWASP: {${limit}}}}`, report });
    const found = limits.find(({ source }) => source === 'aisec-policy.yml:2, redteam.frameworks.OWASP');
    const outcome = broken === undefined ? undefined : { reason: broken, by: [] };
    expect([found?.used?.([]), found?.check([])]).toEqual([used, outcome]);
  });

  test('without techniques has a rate of 0, and is not compared without a report', async () => {
    const policy = 'redteam: {frameworks: {NIST: {max_asr_percent: 0}}}';
    const [, there] = await limitsOf({ policy, report });
    expect([there?.used?.([]), there?.check([])]).toEqual(['ASR 0 % of at most 0 %', undefined]);
    const [, other] = await limitsOf({ policy, report: { ...report, job_id: 'k' } });
    expect(other?.doubt?.([])).toBe('The report is of another scan.');
    const [, missing] = await limitsOf({ policy });
    expect(missing?.check([])).toEqual({ reason: 'the report has no framework NIST', by: [] });
  });
});

test('a limit of the policy names its line', async () => {
  const limits = await limitsOf({ policy: 'redteam:\n  max_asr_percent: 10\n  fail_on: high' });
  expect(limits.map(({ source }) => source)).toEqual([
    'aisec-policy.yml:3, redteam.max_asr_percent',
    'aisec-policy.yml:4, redteam.fail_on',
  ]);
});
