/** No evidence, no pass: answers that prove nothing have no verdict, and a broken limit fails as ever. */
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { isObject, type JsonObject, objectOf, objectsOf } from '../../../lib/core/json.ts';
import { gateRedTeam, type RedTeamRequest } from '../../../lib/features/gate/gates.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { altering, run } from '../report/support.ts';
import { answers, MODEL_SCANS, modelVerdict, NOW } from './support.ts';

const KINDS = [
  { kind: 'STATIC', noun: 'attack' },
  { kind: 'DYNAMIC', noun: 'goal' },
  { kind: 'CUSTOM', noun: 'prompt' },
] as const;

/** Four attacks, goals or prompts, of which the first was successful. */
const ROWS: readonly JsonObject[] = ['a', 'b', 'c', 'd'].map((id, at) => ({
  ...{ uuid: id, attack_id: id, prompt: id, prompt_text: id, goal: id, severity: 'LOW', sub_category: 'JAILBREAK' },
  ...{ job_id: 'j', threat: at === 0, error: false, asr: at === 0 ? 50 : 0 },
}));
const JOB = { name: 'nightly', status: 'COMPLETED', total: 4, completed: 4, asr: 25 };

interface Scan {
  readonly job?: JsonObject;
  readonly rows?: readonly unknown[];
}

/** Decides on a scan, and on its baseline. */
async function decided(kind: string, { j = {}, b = {} }: { j?: Scan; b?: Scan }, limits: Partial<RedTeamRequest> = {}) {
  const scans: Readonly<Record<string, Scan>> = { j, b };
  const rowsOf = ({ job_id = '' }) =>
    scans[job_id]?.rows ??
    ROWS.map((row) => ({ ...row, job_id, ...(job_id === 'b' ? { threat: row['uuid'] === 'a' } : {}) }));
  const ask = answers({
    'aisec-redteam-scan-get': ({ job_id = '' }) => ({ uuid: job_id, job_type: kind, ...JOB, ...scans[job_id]?.job }),
    'aisec-redteam-report-attacks-list': rowsOf,
    'aisec-redteam-report-goals-list': rowsOf,
    'aisec-redteam-custom-attacks-list': (args) => ({ attacks: rowsOf(args) }),
  });
  const { failed, unfinished } = await gateRedTeam({ jobId: 'j', maxAsr: 100, ...limits }, { ask, now: NOW });
  return { failed, unfinished };
}
const withLast = (more: JsonObject) => ROWS.map((row) => (row['uuid'] === 'd' ? { ...row, ...more } : row));
const noVerdict = (says: string) => ({ failed: false, unfinished: expect.stringContaining(says) });
const PASSED = { failed: false, unfinished: undefined };

describe('a red-team scan', () => {
  test.each(KINDS)('that is whole passes: $kind', async ({ kind }) => {
    expect(await decided(kind, {})).toEqual(PASSED);
    const upper = { j: { rows: ROWS.map((row) => ({ ...row, job_id: 'J', status: 'Completed', error: null })) } };
    expect(await decided(kind, upper)).toEqual(PASSED);
  });

  scenario.each(
    KINDS.flatMap((each) => [
      ...['FAILED', 'PENDING', 'INIT', 'REPORT', 'unheard of', '', null, 7, {}].map((status) => ({
        ...each,
        row: { status },
      })),
      ...['true', 'false', true, 1, {}, '', 0, []].map((error) => ({ ...each, row: { error } })),
      ...[null, 'false', 0, undefined].map((threat) => ({ ...each, row: { threat } })),
    ]),
  )('gate-evidence', 'with $row has no verdict: $kind', async ({ kind, noun, row }) => {
    const says = `The red-team scan has no complete result: 1 of 4 ${noun}s has no outcome.`;
    expect(await decided(kind, { j: { rows: withLast(row) } })).toEqual(noVerdict(says));
  });

  scenario.each(KINDS.flatMap((each) => ['k', '', null, 7].map((job_id) => ({ ...each, job_id }))))(
    'gate-evidence',
    'with a $noun of the scan $job_id has no verdict: $kind',
    async ({ job_id, kind, noun }) => {
      const says = `The service lists 1 ${noun} of another scan.`;
      expect(await decided(kind, { j: { rows: withLast({ job_id }) } })).toEqual(noVerdict(says));
    },
  );

  scenario.each(KINDS)('gate-evidence', 'with an entry that is no $noun has no verdict', async ({ kind, noun }) => {
    const says = `It has 1 unreadable of 5 ${noun}s.`;
    expect(await decided(kind, { j: { rows: [...ROWS, null] } })).toEqual(noVerdict(says));
  });

  scenario.each(KINDS.flatMap((each) => [-5, 0, 100, 101, 1e9].map((asr) => ({ ...each, asr }))))(
    'gate-evidence',
    'whose rate of $asr % contradicts its list has no verdict: $kind',
    async ({ asr, kind, noun }) => {
      const says =
        asr < 0 || asr > 100
          ? `The red-team scan has an impossible success rate: ${asr} %.`
          : `The red-team scan has a success rate of ${asr} %, which its list contradicts: 1 successful of 4 ${noun}s.`;
      expect(await decided(kind, { j: { job: { asr } } })).toEqual(noVerdict(says));
    },
  );

  scenario.each(['STATIC', 'CUSTOM'].flatMap((kind) => [6.2, 50.1, 99].map((asr) => ({ kind, asr }))))(
    'gate-evidence',
    'whose rate of $asr % is far from its list has no verdict: $kind',
    async ({ kind, asr }) => {
      expect(await decided(kind, { j: { job: { asr } } })).toEqual(
        noVerdict('which its list contradicts: 1 successful of 4'),
      );
    },
  );

  test.each([
    { what: 'attempts are counted', kind: 'STATIC', job: { asr: 6.25 }, rows: ROWS },
    { what: 'twice the share', kind: 'STATIC', job: { asr: 50 }, rows: ROWS },
    { what: 'streams are counted', kind: 'DYNAMIC', job: { asr: 99 }, rows: ROWS },
    {
      what: 'all were successful',
      kind: 'STATIC',
      job: { asr: 100 },
      rows: ROWS.map((row) => ({ ...row, threat: true })),
    },
    {
      what: 'none was successful',
      kind: 'STATIC',
      job: { asr: 0 },
      rows: ROWS.map((row) => ({ ...row, threat: false })),
    },
    {
      what: 'people marked it as safe',
      kind: 'STATIC',
      job: { asr: 0 },
      rows: ROWS.map((row) => ({ ...row, marked_safe: true })),
    },
  ])('whose rate fits its list passes: $what', async ({ kind, job, rows }) => {
    expect(await decided(kind, { j: { job, rows } })).toEqual(PASSED);
  });

  // JSON has a number beyond all numbers: 1e999.
  scenario.each([undefined, null, '25', [], true, Number.POSITIVE_INFINITY].map((asr) => ({ asr })))(
    'gate-evidence',
    'has no verdict on the rate $asr',
    async ({ asr }) => {
      expect(await decided('STATIC', { j: { job: { asr } } })).toEqual(noVerdict('no result to decide on'));
    },
  );

  scenario.each(KINDS)('gate-evidence', 'with a rate and without a success has no verdict: $kind', async ({ kind }) => {
    const rows = ROWS.map((row) => ({ ...row, threat: false }));
    expect(await decided(kind, { j: { rows } })).toEqual(noVerdict('which its list contradicts: 0 successful of 4'));
  });

  scenario.each(KINDS.flatMap((each) => [0, -1].map((total) => ({ ...each, total }))))(
    'gate-evidence',
    'that counts $total and lists some has no verdict: $kind',
    async ({ total, kind, noun }) => {
      const says = `The scan counts ${total}, and the service lists 4 ${noun}s.`;
      expect(await decided(kind, { j: { job: { total, completed: total } } })).toEqual(noVerdict(says));
    },
  );

  scenario('gate-evidence', 'of another id than the one asked for has no verdict', async () => {
    const says = 'The service sent another scan than the red-team scan j: k.';
    expect(await decided('STATIC', { j: { job: { uuid: 'k' } } })).toEqual(noVerdict(says));
    expect(await decided('STATIC', { j: { job: { uuid: 'J' } } })).toEqual(PASSED);
    const unnamed = noVerdict('The service does not say whether it sent the red-team scan j.');
    for (const uuid of [undefined, null, 7]) expect(await decided('STATIC', { j: { job: { uuid } } })).toEqual(unnamed);
  });

  scenario.each([
    { what: 'a failed attack', scan: { rows: withLast({ status: 'FAILED' }) } },
    { what: 'a success that failed', scan: { rows: ROWS.map((row) => ({ ...row, status: 'FAILED', error: true })) } },
    { what: 'an attack of another scan', scan: { rows: withLast({ job_id: 'k' }) } },
    { what: 'a rate of 0', scan: { job: { asr: 0 } } },
    { what: 'a rate of -5', scan: { job: { asr: -5 } } },
  ])('gate-evidence', 'with $what still fails on a broken limit', async ({ scan }) => {
    const ended = await decided('STATIC', { j: scan }, { failOn: 'low' });
    expect(ended).toEqual({ failed: true, unfinished: undefined });
  });
});

describe('a baseline', () => {
  scenario.each([
    { what: 'has a rate of 0', scan: { job: { asr: 0 } }, says: 'The baseline has a success rate of 0 %, which' },
    {
      what: 'has a rate of -5',
      scan: { job: { asr: -5 } },
      says: 'The baseline has an impossible success rate: -5 %.',
    },
    {
      what: 'has attacks of another scan',
      scan: { rows: ROWS },
      says: 'of the baseline is not complete: The service lists 4',
    },
    { what: 'has no id', scan: { job: { uuid: null } }, says: 'whether it sent the baseline b.' },
    { what: 'is another scan', scan: { job: { uuid: 'k' } }, says: 'another scan than the baseline b: k.' },
  ])('gate-evidence', 'that $what has no verdict', async ({ scan, says }) => {
    expect(await decided('STATIC', { b: scan }, { baseline: 'b' })).toEqual(noVerdict(says));
  });

  test('that is whole decides', async () => {
    expect(await decided('STATIC', {}, { baseline: 'b' })).toEqual(PASSED);
  });
});

describe('a model scan', () => {
  const allowed = { uuid: 'u', model_uri: 'hf://m', eval_outcome: 'ALLOWED' };

  scenario.each([
    { scan: { error_code: 'SCAN_ERROR' }, says: 'The scan reports an error: SCAN_ERROR.' },
    { scan: { error_code: 'E', error_message: 'Broken' }, says: 'The scan reports an error: E: Broken.' },
    { scan: { rules_passed: 0, total_rules: 11 }, says: 'The scan ran 0 of 11 rules.' },
    { scan: { rules_passed: 10, total_rules: 11 }, says: 'The scan ran 10 of 11 rules.' },
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
    {
      scan: { rules_passed: 8, total_rules: 8, enabled_rule_count_snapshot: 3 },
      says: 'The scan counts 8 rules, and its group has 3 enabled.',
    },
    { scan: { rules_passed: 3, total_rules: 0 }, says: 'The scan ran 3 of 0 rules.' },
    { scan: { rules_passed: 3, total_rules: null }, says: 'The scan ran 3 of 0 rules.' },
    { scan: { rules_passed: 30, total_rules: 11 }, says: 'The scan ran 30 of 11 rules.' },
    { scan: { rules_passed: 1.5, total_rules: 1 }, says: 'The scan ran 1.5 of 1 rule.' },
    { scan: { rules_passed: 12, rules_failed: -1, total_rules: 11 }, says: 'The scan counts -1 failed rules.' },
    { scan: { rules_passed: null, rules_failed: null }, says: 'The scan ran 0 of 1 rule.' },
    { scan: { total_files_scanned: 0, total_files_skipped: 7 }, says: 'No file was scanned.' },
    { scan: { total_files_scanned: null }, says: 'The scan does not say how many files it scanned.' },
    { scan: { uuid: 'v' }, says: 'The service sent another scan than the model scan u: v.' },
    ...[undefined, null, 7].map((uuid) => ({
      scan: { uuid },
      says: 'The service does not say whether it sent the model scan u.',
    })),
  ])('gate-evidence', 'that is allowed has no verdict: $says', async ({ scan, says }) => {
    expect(await modelVerdict({ ...allowed, ...scan }, [])).toMatchObject({ failed: false, unfinished: says });
  });

  scenario('gate-evidence', 'that is blocked fails, whatever else is missing', async () => {
    const scan = { ...allowed, eval_outcome: 'BLOCKED', error_code: 'E', total_files_scanned: 0 };
    const rows = [{ rule_name: 'One', rule_instance_state: 'BLOCKING' }];
    const { failed, summary } = await modelVerdict(scan, rows);
    expect([failed, summary]).toEqual([true, expect.stringContaining('reports an error: E. No file was scanned.')]);
  });

  test('that is allowed with a failed rule passes', async () => {
    const scan = { ...allowed, rules_passed: 1, rules_failed: 1, total_rules: 2 };
    const rows = [{ rule_name: 'One', rule_instance_state: 'ALLOWING' }];
    expect(await modelVerdict(scan, rows)).toMatchObject({ failed: false, limits: [{ source: 'the security group' }] });
    expect((await modelVerdict(scan, rows)).unfinished).toBeUndefined();
  });

  test.each([
    { skipped: 7, remark: ' The scan skipped 7 files.' },
    { skipped: 1, remark: ' The scan skipped 1 file.' },
    { skipped: 0, remark: '' },
    { skipped: null, remark: '' },
  ])('mentions $skipped skipped files', async ({ skipped, remark }) => {
    const { summary, named } = await modelVerdict({ ...allowed, total_files_skipped: skipped }, []);
    expect(summary).toBe(`hf://m is allowed; of 0 violations, none breaks a limit.${remark}`);
    expect(named?.summary).toBe(`the model is allowed; of 0 violations, none breaks a limit.${remark}`);
  });
});

describe('the program', () => {
  const { jobs } = RED_TEAM_IDS;
  const rows = (more: JsonObject) =>
    altering(`${jobs.static}/list-`, (body) => {
      const [first, ...others] = objectsOf(objectOf(body)['data']);
      return { ...objectOf(body), data: [{ ...first, ...more }, ...others] };
    });
  const rate = altering(`/scan/${jobs.static}`, (job) => ({ ...objectOf(job), asr: 0 }));
  const model = (more: JsonObject) =>
    altering(`/v1/scans/${MODEL_SCANS.allowed}`, (body) =>
      isObject(objectOf(body)['eval_summary']) ? { ...objectOf(body), ...more } : body,
    );
  const gate = ['gate', 'redteam', jobs.static, '--max-asr', '100'];
  const ofModel = ['gate', 'model', MODEL_SCANS.allowed];

  scenario.each([
    { what: 'a failed attack', words: gate, alter: rows({ status: 'FAILED', threat: false }) },
    { what: 'an attack of another scan', words: gate, alter: rows({ job_id: jobs.custom }) },
    { what: 'a contradicted rate', words: gate, alter: rate },
    { what: 'a comparison of it', words: ['compare', jobs.earlierStatic, jobs.static], alter: rate },
    { what: 'a model without rules', words: ofModel, alter: model({ eval_summary: null }) },
    { what: 'a model without files', words: ofModel, alter: model({ total_files_scanned: 0 }) },
    { what: 'a model with an error', words: ofModel, alter: model({ error_code: 'E' }) },
  ])('gate-evidence', 'ends with 8 on $what', async ({ words, alter }) => {
    expect((await run(words, { alter })).code).toBe(8);
  });

  scenario('gate-evidence', 'mentions skipped files where it passes', async () => {
    const ended = await run([...ofModel, '--output', 'table'], { alter: model({ total_files_skipped: 7 }) });
    expect([ended.code, ended.stdout.replace(/\s+/g, ' ')]).toEqual([0, expect.stringContaining('skipped 7 files.')]);
  });
});
