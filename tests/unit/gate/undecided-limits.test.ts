/** Limits that count nothing have no verdict; limits are compared before they are rounded, and impossible ones are refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textReader } from '../../../lib/bulk/lines.ts';
import { gateBulk, gateRedTeam } from '../../../lib/features/gate/gates.ts';
import { summaryPage } from '../../../lib/features/gate/reports.ts';
import { failing } from '../../support/exchange.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { run } from '../report/support.ts';
import { answers, finished, MODEL_SCANS, modelVerdict, NOW, policyOf, redTeamVerdict } from './support.ts';

const JOB = { uuid: 'j', name: 'nightly', status: 'COMPLETED', asr: 50 };
const HIT = { uuid: 'a', prompt: 'A', severity: 'LOW', category: 'SECURITY', sub_category: 'JAILBREAK' };
const HELD = { ...HIT, uuid: 'b', prompt: 'B', threat: false };
const outcome = ({ failed, unfinished }: { failed: boolean; unfinished?: string }) => ({ failed, unfinished });

describe('a limit by framework', () => {
  const framework = (techniques: unknown, more: object = {}) => ({
    category_reports: [{ category: 'COMPLIANCE', id: 'OWASP', techniques, ...more }],
  });
  const LIMITS = ['{max_successful: 5}', '{max_asr_percent: 90}'];
  const NOTHING = 'The report counts no attack of OWASP, so its limit says nothing.';
  const UNCLEAR = 'The report does not count every technique of OWASP.';
  const sure = { successful: 1, total: 10 };

  scenario.each(
    [
      { what: 'no techniques', report: framework([]), says: NOTHING },
      { what: 'null', report: framework(null), says: NOTHING },
      { what: 'nothing', report: framework(undefined), says: NOTHING },
      { what: 'a text', report: framework('n/a'), says: NOTHING },
      { what: 'an object', report: framework({ a: sure }), says: NOTHING },
      { what: 'a total of 0', report: framework([{ successful: 0, total: 0 }]), says: NOTHING },
      ...[null, undefined, 'n/a', -1, '', true, 0.5, [], [5], '1.5', '1e1', '0x5', Number.NaN].flatMap((count) => [
        { what: `the count ${count}`, report: framework([sure, { successful: count, total: 10 }]), says: UNCLEAR },
        { what: `the total ${count}`, report: framework([sure, { successful: 0, total: count }]), says: UNCLEAR },
      ]),
      { what: 'an entry that is null', report: framework([sure, null]), says: UNCLEAR },
      {
        what: 'more successes than attacks',
        report: framework([
          { successful: 2, total: 1 },
          { successful: 0, total: 9 },
        ]),
        says: UNCLEAR,
      },
      {
        what: 'the report of another scan',
        report: { ...framework([sure]), job_id: 'k' },
        says: 'The report is of another scan.',
      },
      ...[undefined, null, '', 7].map((job_id) => ({
        what: `the report of the scan ${job_id}`,
        report: { ...framework([sure]), job_id },
        says: 'The report does not say of which scan it is.',
      })),
      {
        what: 'the framework twice',
        report: { category_reports: [...framework([sure]).category_reports, ...framework([sure]).category_reports] },
        says: 'The report has the framework OWASP twice.',
      },
    ].flatMap((each) => LIMITS.map((limit) => ({ ...each, limit }))),
  )('gate-evidence', 'of $limit has no verdict on $what', async ({ report, limit, says }) => {
    const verdict = await redTeamVerdict(
      { ...JOB, report },
      [HIT, HELD],
      {},
      await policyOf(`redteam: {frameworks: {OWASP: ${limit}}}`),
    );
    expect(outcome(verdict)).toEqual({ failed: false, unfinished: says });
  });

  test.each([
    { techniques: [sure, { successful: 6, total: 'n/a' }], limit: '{max_successful: 5}' },
    { techniques: [{ successful: '6', total: '10' }], limit: '{max_successful: 5}' },
    { techniques: [{ successful: 10, total: 10 }, null], limit: '{max_asr_percent: 90}' },
  ])('of $limit still fails on what is counted', async ({ techniques, limit }) => {
    const report = framework(techniques);
    const verdict = await redTeamVerdict(
      { ...JOB, report },
      [HIT, HELD],
      {},
      await policyOf(`redteam: {frameworks: {OWASP: ${limit}}}`),
    );
    expect(verdict.failed).toBe(true);
  });

  test('passes with counts, also as texts, and in the name of the report', async () => {
    const report = {
      category_reports: [
        { category: 'SECURITY', id: 'OWASP', techniques: [{ successful: 9, total: 10 }] },
        ...framework([{ successful: '1', total: '10' }], { id: 'x', display_name: 'owasp' }).category_reports,
      ],
      job_id: 'J',
    };
    const verdict = await redTeamVerdict(
      { ...JOB, report },
      [HIT, HELD],
      {},
      await policyOf('redteam: {frameworks: {OWASP: {max_asr_percent: 10}}}'),
    );
    expect(outcome(verdict)).toEqual({ failed: false, unfinished: undefined });
  });
});

describe('a limit by category', () => {
  const limited = async (category: string, rows: readonly object[], more = '') =>
    redTeamVerdict(
      JOB,
      [...rows, HELD],
      {},
      await policyOf(`redteam: {limits: [{category: ${category}, max_successful: 5${more}}]}`),
    );
  const without = (...names: readonly string[]) =>
    Object.fromEntries(Object.entries(HIT).filter(([name]) => !names.includes(name)));
  const UNKNOWN = (category: string) => `The service does not say whether 1 successful attack is of ${category}.`;

  scenario.each([
    { what: 'no category', category: 'JAILBREAK', row: without('category', 'sub_category') },
    { what: 'no category', category: 'SECURITY', row: without('category', 'sub_category') },
    { what: 'blank categories', category: 'SECURITY', row: { ...HIT, category: ' ', sub_category: '' } },
    { what: 'only a category', category: 'JAILBREAK', row: without('sub_category') },
    { what: 'a category of another type', category: 'JAILBREAK', row: { ...HIT, category: 7, sub_category: null } },
    {
      what: 'only an unheard-of sub-category',
      category: 'SECURITY',
      row: { ...without('category'), sub_category: 'NEW' },
    },
  ])('gate-evidence', 'has no verdict on an attack with $what: $category', async ({ category, row }) => {
    expect(outcome(await limited(category, [row]))).toEqual({ failed: false, unfinished: UNKNOWN(category) });
  });

  scenario.each([
    { category: 'BIAS', row: HIT },
    { category: 'SAFETY', row: HIT },
    { category: 'TOOL_MISUSE', row: HIT },
  ])('gate-evidence', 'has no verdict if no attack of $category was tested', async ({ category, row }) => {
    const unfinished = `No attack of ${category} was tested, so its limit says nothing.`;
    expect(outcome(await limited(category, [row]))).toEqual({ failed: false, unfinished });
  });

  test.each([
    { category: 'JAILBREAK', row: HIT },
    { category: 'SECURITY', row: HIT },
    { category: 'SECURITY', row: without('sub_category') },
    { category: 'SECURITY', row: without('category') },
    {
      category: 'SECURITY',
      row: { ...without('category'), sub_category: undefined, sub_category_display_name: 'Jailbreak' },
    },
    { category: 'JAILBREAK', row: { ...HIT, sub_category: 'NEW' } },
  ])('decides on $row by $category', async ({ category, row }) => {
    expect(outcome(await limited(category, [row]))).toEqual({ failed: false, unfinished: undefined });
  });

  test('counts an attack by a part of the category', async () => {
    const policy = await policyOf('redteam: {limits: [{category: SECURITY, max_successful: 0}]}');
    expect((await redTeamVerdict(JOB, [without('category'), HELD], {}, policy)).failed).toBe(true);
  });

  scenario.each([{ severity: undefined }, { severity: null }, { severity: 'SEVERE' }, { severity: 3 }])(
    'gate-evidence',
    'and severity has no verdict on the severity $severity',
    async ({ severity }) => {
      const verdict = await limited('JAILBREAK', [{ ...HIT, severity }], ', severity: critical');
      expect(outcome(verdict)).toEqual({
        failed: false,
        unfinished: 'The service gives no severity of 1 successful attack.',
      });
      expect(summaryPage(verdict, false)).toContain('gives no severity of 1 successful attack');
    },
  );
});

describe('a limit by the rules of a model', () => {
  const allowed = { uuid: 'u', model_uri: 'hf://m', eval_outcome: 'ALLOWED' };

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
      policy: 'model: {}',
      says: 'state of its rule.',
    },
    {
      what: 'the name',
      row: { rule_instance_state: 'ALLOWING' },
      policy: 'model: {rules: {One: fail}}',
      says: 'the name of its rule.',
    },
  ])('gate-evidence', 'has no verdict on a violation without $what', async ({ row, policy, says }) => {
    const named = { rule_name: 'One', rule_instance_state: 'ALLOWING' };
    const file = policy === undefined ? undefined : await policyOf(policy);
    const rows = policy?.includes('rules') ? [row] : [row, named];
    const ask = modelVerdict(allowed, rows, file);
    expect(outcome(await ask)).toEqual({ failed: false, unfinished: expect.stringContaining(says) });
  });
});

describe('a limit', () => {
  const rate = async (asr: number, hits: number, limits: { maxAsr: number }) =>
    redTeamVerdict(
      { ...JOB, asr },
      [...Array.from({ length: hits }, (_, at) => ({ ...HIT, uuid: `${at}`, prompt: `${at}` })), HELD],
      limits,
    );

  scenario.each([
    { asr: 5.004, maxAsr: 5, broken: 'ASR 5.004 % is above 5 %' },
    { asr: 5.00001, maxAsr: 5, broken: 'ASR 5.00001 % is above 5 %' },
    { asr: 5, maxAsr: 5, broken: undefined },
    { asr: 4.999, maxAsr: 5, broken: undefined },
    { asr: 26.67, maxAsr: 26.67, broken: undefined },
    { asr: 26.674, maxAsr: 26.67, broken: 'ASR 26.674 % is above 26.67 %' },
  ])('gate-evidence', 'of $maxAsr % is compared with $asr % before rounding', async ({ asr, maxAsr, broken }) => {
    expect((await rate(asr, 3, { maxAsr })).limits[0]?.broken).toBe(broken);
  });

  scenario('gate-evidence', 'of a framework is compared before rounding', async () => {
    const techniques = [{ successful: 1251, total: 25_000 }];
    const report = { category_reports: [{ category: 'COMPLIANCE', id: 'NIST', techniques }] };
    const policy = await policyOf('redteam: {frameworks: {NIST: {max_asr_percent: 5}}}');
    const verdict = await redTeamVerdict({ ...JOB, report }, [HIT, HELD], {}, policy);
    expect(verdict.limits[0]?.broken).toBe('NIST: ASR 5.004 % is above 5 %');
  });

  scenario('gate-evidence', 'of blocked prompts is compared before rounding', async () => {
    const text = finished(
      Array.from({ length: 8 }, (_, at) => ({ row: at + 1, action: at === 0 ? 'block' : 'allow', prompt: `${at}` })),
    );
    const gate = async (percent: number) =>
      gateBulk([{ reader: textReader(text), name: 'r.jsonl' }], {
        policy: await policyOf(`bulk: {max_blocked_percent: ${percent}}`),
        now: NOW,
      });
    expect((await gate(12.4999)).limits[0]?.broken).toBe('12.5 % of 8 prompts blocked, more than 12.4999 %');
    expect((await gate(12.5)).limits[0]?.broken).toBeUndefined();
  });

  const WORDS = ['101', '100.01', '-1', 'NaN', 'Infinity', 'ten', '1e1', '0x5', ''];
  scenario.each(WORDS.map((word) => ({ word })))(
    'gate-evidence',
    'of --max-asr "$word" is refused',
    async ({ word }) => {
      for (const command of [['gate', 'redteam'], ['watch']])
        expect((await run([...command, 'x', `--max-asr=${word}`])).code).toBe(2);
    },
  );

  scenario.each(['101', '-1', '.nan', 'ten', '"5"', 'null', '.inf'].map((word) => ({ word })))(
    'gate-evidence',
    'of $word in a policy is refused',
    async ({ word }) => {
      const file = join(temporaryFolder('gate'), 'p.yml');
      for (const text of [
        `redteam: {max_asr_percent: ${word}}`,
        `bulk: {max_blocked_percent: ${word}}`,
        `redteam: {frameworks: {NIST: {max_asr_percent: ${word}}}}`,
      ]) {
        writeFileSync(file, `version: 1\n${text}\n`);
        expect((await run(['gate', 'model', MODEL_SCANS.allowed, '--policy', file])).code).toBe(2);
      }
    },
  );

  scenario.each([101, -1, Number.NaN, Number.POSITIVE_INFINITY].map((maxAsr) => ({ maxAsr })))(
    'gate-evidence',
    'of $maxAsr is refused in the library',
    async ({ maxAsr }) => {
      const ask = answers({ 'aisec-redteam-scan-get': () => ({ job_type: 'STATIC', ...JOB }) });
      const error = await failing(gateRedTeam({ jobId: 'j', maxAsr }, { ask, now: NOW }));
      expect(error).toMatchObject({ code: 'usage' });
    },
  );
});
