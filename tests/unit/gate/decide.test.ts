/** Decisions from limits, doubts, acceptances and the state against a baseline, for findings of any kind. */
import fc from 'fast-check';
import { decide, type Evidence, type Limit, type Verdict } from '../../../lib/features/gate/decide.ts';
import type { Finding } from '../../../lib/features/gate/finding.ts';
import { acceptance, NOW, policyOf, redTeamVerdict } from './support.ts';

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
const PRINT = '0123456789abcdef';
const accepting = (print: string, expires?: string) => policyOf(`bulk: {}\n${acceptance(print, expires)}`);

describe('a finding', () => {
  test('is attributed to the first limit that it breaks', () => {
    const { findings } = decide(evidence(finding('a')), { limits: [anyOpen('first'), anyOpen('second')], now: NOW });
    expect(findings).toEqual([expect.objectContaining({ level: 'failure', because: 'first' })]);
  });

  test('is ordered by level, then by severity', () => {
    const all = (['low', 'medium', 'critical'] as const).map((severity) => finding(severity, { severity }));
    const check: Limit['check'] = (open) => ({ reason: 'r', by: open.filter(({ title }) => title === 'low') });
    const titles = (limits: readonly Limit[]) =>
      decide(evidence(...all), { limits, now: NOW }).findings.map(({ title, level }) => `${title} ${level}`);
    expect(titles([])).toEqual(['critical warning', 'medium warning', 'low note']);
    expect(titles([{ source: 'x', check }])).toEqual(['low failure', 'critical warning', 'medium warning']);
  });
});

describe('an acceptance', () => {
  test.each([
    { expires: '2027-01-15', failed: false },
    { expires: '2027-01-14', failed: true },
  ])('covers its finding until the end of $expires', async ({ expires, failed }) => {
    const terms = { limits: [anyOpen('x')], policy: await accepting(PRINT, expires), now: NOW };
    const verdict = decide(evidence(finding(PRINT)), terms);
    expect(verdict.failed).toBe(failed);
    if (!failed) expect(verdict.summary).toBe('It holds. 1 accepted by the policy.');
    const because = failed ? 'x' : 'aisec-policy.yml:3, accepted.0';
    expect(verdict.findings).toMatchObject([{ level: failed ? 'failure' : 'note', because }]);
  });

  test.each([
    { what: 'is still there', more: {}, failed: true, level: 'failure' },
    { what: 'was there in the baseline', more: { baselineState: 'unchanged' }, failed: true, level: 'failure' },
    { what: 'only the baseline has', more: { baselineState: 'absent' }, failed: false, level: 'note' },
  ] as const)('that has expired fails whatever the limits if its finding $what', async ({ more, failed, level }) => {
    const policy = await accepting(PRINT, '2026-12-31');
    const verdict = decide(evidence(finding(PRINT, more)), { limits: [], policy, now: NOW });
    expect(verdict).toMatchObject({ failed, findings: [{ level }] });
    if (failed)
      expect(verdict.summary).toContain(`the acceptance of ${PRINT} by dana@example.com expired on 2026-12-31.`);
  });

  test('that matches nothing is named, with a near finding if possible', async () => {
    const other = 'fedcba9876543210';
    const notes = async (print: string, more: Partial<Evidence> = {}) => {
      const terms = { limits: [], policy: await accepting(print), now: NOW };
      return decide({ ...evidence(finding(PRINT)), ...more }, terms).notes;
    };
    const unmatched = 'aisec-policy.yml:3, accepted.0 matches no finding of this result:';
    expect(await notes(PRINT)).toBeUndefined();
    expect(await notes(other)).toEqual([`${unmatched} ${other}.`]);
    expect(await notes('0123456789abcdee')).toEqual([`${unmatched} 0123456789abcdee. Did you mean "${PRINT}"?`]);
    // An incomplete list of findings may also lack this one.
    expect(await notes(other, { unfinished: 'It is cut.' })).toBeUndefined();
  });

  test('does not affect other findings, for any acceptances', async () => {
    const job = { uuid: 'j', name: 'nightly', status: 'COMPLETED', asr: 40 };
    const attacks = ['a', 'b', 'c'].map((prompt) => ({ uuid: prompt, prompt, severity: 'LOW', sub_category: 'BIAS' }));
    const found = (await redTeamVerdict(job, attacks, { maxAsr: 100 })).findings.map(({ fingerprint }) => fingerprint);
    const rows = fc.uniqueArray(fc.record({ at: fc.nat(2), day: fc.constantFrom('2026-12-31', '2027-12-31') }), {
      selector: ({ at }) => at,
    });
    await fc.assert(
      fc.asyncProperty(rows, async (chosen) => {
        const entries = chosen.map(({ at, day }) => `{finding: ${found[at]}, owner: o, reason: r, expires: ${day}}`);
        const policy = await policyOf(`redteam: {fail_on: low}\naccepted: [${entries.join(', ')}]`);
        const verdict = await redTeamVerdict(job, attacks, {}, policy);
        const spared = chosen.filter(({ day }) => day > '2027-01-15').length;
        expect(verdict.findings.filter(({ level }) => level === 'failure')).toHaveLength(3 - spared);
        expect(verdict.failed).toBe(spared < 3);
      }),
    );
  });
});

describe('a verdict', () => {
  test('omits members without a value', () => {
    const plain: Verdict = decide(evidence(), { limits: [{ source: 'x', check: () => undefined }], now: NOW });
    expect(Object.keys(plain).sort()).toEqual(['failed', 'findings', 'limits', 'subject', 'summary']);
    expect(Object.keys(plain.limits[0] ?? {})).toEqual(['source']);
    expect(decide({ ...evidence(), simulated: false }, { limits: [], now: NOW })).not.toHaveProperty('simulated');
  });

  test('has all known facts, and doubts a limit only if it is not broken', () => {
    const baseline = { job: 'b', newlySuccessful: 0, withoutOutcome: 0, open: 0, fixed: 0, lost: 0 };
    const members = { see: '!x', rate: { asr: 1 }, simulated: true, baseline };
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
});
