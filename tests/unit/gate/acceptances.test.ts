/** What acceptances and baselines leave of the findings. */
import { decide, type Evidence, type Limit } from '../../../lib/features/gate/decide.ts';
import type { Finding } from '../../../lib/features/gate/finding.ts';
import { NOW, policyOf } from './support.ts';

const finding = (fingerprint: string, more: Partial<Finding> = {}): Finding => ({
  ...{ fingerprint, rule: 'r', title: fingerprint, ruleText: 'R.', severity: 'high', message: 'M.', labels: [] },
  place: { uri: 'u' },
  ...more,
});

const evidence = (...findings: readonly Finding[]): Evidence => ({ subject: 's', findings, passed: 'It holds.' });

const anyOpen = (source: string): Limit => ({
  source,
  check: (open) => (open.length > 0 ? { reason: `${open.length} open`, by: open } : undefined),
});

const accepted = (print: string, expires: string) =>
  policyOf(`bulk: {}\naccepted: [{finding: ${print}, owner: dana, reason: Known., expires: ${expires}}]`);

const PRINT = '0123456789abcdef';

test('an expired acceptance of a finding that only the baseline has does not fail the gate', async () => {
  const policy = await accepted(PRINT, '2026-12-31');
  const gone = evidence(finding(PRINT, { baselineState: 'absent' }));
  expect(decide(gone, { limits: [], policy, now: NOW })).toMatchObject({
    failed: false,
    findings: [{ level: 'note' }],
  });
  const there = evidence(finding(PRINT, { baselineState: 'unchanged' }));
  expect(decide(there, { limits: [], policy, now: NOW }).failed).toBe(true);
});

test('a finding is attributed to the first limit that it breaks', () => {
  const { findings } = decide(evidence(finding('a')), { limits: [anyOpen('first'), anyOpen('second')], now: NOW });
  expect(findings).toEqual([expect.objectContaining({ level: 'failure', because: 'first' })]);
});

test('findings are ordered by level, then by severity', () => {
  const all = [
    finding('low', { severity: 'low' }),
    finding('medium', { severity: 'medium' }),
    finding('critical', { severity: 'critical' }),
  ];
  const limit: Limit = {
    source: 'x',
    check: (open) => ({ reason: 'r', by: open.filter(({ title }) => title === 'low') }),
  };
  const titles = (limits: readonly Limit[]) =>
    decide(evidence(...all), { limits, now: NOW }).findings.map(({ title }) => title);
  expect(titles([])).toEqual(['critical', 'medium', 'low']);
  expect(titles([limit])).toEqual(['low', 'critical', 'medium']);
});

test('reports an acceptance that matches nothing, with a near finding if possible', async () => {
  const other = 'fedcba9876543210';
  const notes = async (print: string, more: Partial<Evidence> = {}) =>
    decide(
      { ...evidence(finding(PRINT)), ...more },
      { limits: [], policy: await accepted(print, '2027-06-01'), now: NOW },
    ).notes;
  expect(await notes(PRINT)).toBeUndefined();
  expect(await notes(other)).toEqual([`aisec-policy.yml:3, accepted.0 matches no finding of this result: ${other}.`]);
  expect(await notes('0123456789abcdee')).toEqual([
    `aisec-policy.yml:3, accepted.0 matches no finding of this result: 0123456789abcdee. Did you mean "${PRINT}"?`,
  ]);
  // A list that may lack findings may lack this one, too.
  expect(await notes(other, { unfinished: 'It is cut.' })).toBeUndefined();
});

test('a verdict omits members without a value', () => {
  const plain = decide(evidence(), { limits: [{ source: 'x', check: () => undefined }], now: NOW });
  expect(Object.keys(plain).sort()).toEqual(['failed', 'findings', 'limits', 'subject', 'summary']);
  expect(Object.keys(plain.limits[0] ?? {})).toEqual(['source']);
  expect(decide({ ...evidence(), simulated: false }, { limits: [], now: NOW })).not.toHaveProperty('simulated');
});

test('a verdict has all that is known, and doubts a limit only where it is not broken', () => {
  const members = {
    ...{ see: '!x', rate: { asr: 1 }, simulated: true },
    baseline: { job: 'b', newlySuccessful: 0, withoutOutcome: 0, open: 0, fixed: 0, lost: 0 },
  };
  const named = { kind: 'model', id: '1', address: 'hf://m' };
  const where = { source: 'x', place: { uri: 'p.yml', line: 3 } };
  const limit: Limit = {
    ...{ ...where, used: (open) => `${open.length} used`, doubt: () => 'It never counts.' },
    check: (open) => (open.length > 0 ? { reason: 'hf://m has 1', brief: 'has 1', by: [] } : undefined),
  };
  const decided = (...findings: readonly Finding[]) => {
    const unfinished = 'Cut.';
    const all = { ...evidence(...findings), ...members, unfinished, named: { ...named, passed: '', unfinished } };
    return decide(all, { limits: [limit], now: NOW });
  };
  const why = 'Cut. It never counts.';
  expect(decided()).toStrictEqual({
    ...{ subject: 's', ...members, failed: false, unfinished: why, summary: why, findings: [] },
    named: { ...named, summary: why },
    limits: [{ ...where, used: '0 used', doubt: 'It never counts.' }],
  });
  expect(decided(finding('a'))).toStrictEqual({
    ...{ subject: 's', ...members, failed: true, summary: 'hf://m has 1. Cut.' },
    named: { ...named, summary: 'has 1. Cut.' },
    findings: [{ ...finding('a'), level: 'warning' }],
    limits: [{ ...where, used: '1 used', broken: 'hf://m has 1', isWhole: true }],
  });
});
