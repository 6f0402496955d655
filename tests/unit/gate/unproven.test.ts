/** No evidence, no pass: answers that prove nothing have no verdict, and a broken limit fails as ever. */
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { isObject, type JsonObject, objectOf, objectsOf } from '../../../lib/core/json.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { altering, type Given, run } from '../report/support.ts';
import { MODEL_SCANS } from './support.ts';

const { jobs } = RED_TEAM_IDS;
type Change = (body: JsonObject) => unknown;
const changed = (path: string, change: Change) => altering(path, (body) => change(objectOf(body)));
const ofJob = (change: Change, job: string = jobs.static) => changed(`/scan/${job}`, change);
const ofRows = (change: (row: JsonObject, at: number) => unknown, job: string = jobs.static) =>
  changed(`${job}/list-`, (body) => ({ ...body, data: objectsOf(body['data']).map(change) }));
const rated = (asr: unknown) => ofJob((job) => ({ ...job, asr }));
const gated = async (
  alter: Given['alter'],
  job: string = jobs.static,
  limits: readonly string[] = ['--max-asr', '100'],
) => {
  const ended = await run(
    ['gate', 'redteam', job, ...limits, '--output', 'table'],
    alter === undefined ? {} : { alter },
  );
  return { code: ended.code, says: ended.stderr.replace(/\s+/g, ' ') };
};
const noVerdict = (says: RegExp) => ({ code: 8, says: expect.stringMatching(says) });

const KINDS = [
  { kind: 'static', job: jobs.static, noun: 'attack' },
  { kind: 'dynamic', job: jobs.dynamic, noun: 'goal' },
  { kind: 'custom', job: jobs.custom, noun: 'prompt' },
] as const;

describe('a red-team scan', () => {
  scenario.each(
    ['FAILED', 'PENDING', 'INIT', 'REPORT', 'unheard of', '', null, 7].flatMap((status) =>
      KINDS.map((each) => ({ ...each, status })),
    ),
  )('gate-evidence', 'with a $noun of the status $status has no verdict: $kind', async ({ status, job, noun }) => {
    const alter = ofRows((row, at) => ({ ...row, ...(at === 0 ? { status, threat: false } : {}) }), job);
    expect(await gated(alter, job)).toEqual(noVerdict(new RegExp(`1 of \\d+ ${noun}s has no outcome`)));
  });

  scenario.each(['true', 'false', 1, {}, '', 0, []].flatMap((error) => KINDS.map((each) => ({ ...each, error }))))(
    'gate-evidence',
    'whose $noun has the error $error has no verdict: $kind',
    async ({ error, job, noun }) => {
      const alter = ofRows((row, at) => ({ ...row, ...(at === 0 ? { error, threat: false } : {}) }), job);
      expect(await gated(alter, job)).toEqual(noVerdict(new RegExp(`1 of \\d+ ${noun}s has no outcome`)));
    },
  );

  scenario.each(
    ['11111111-1111-4111-8111-111111111111', '', null, 7].flatMap((job_id) =>
      KINDS.map((each) => ({ ...each, job_id })),
    ),
  )('gate-evidence', 'with a $noun of the scan $job_id has no verdict: $kind', async ({ job_id, job, noun }) => {
    const alter = ofRows((row, at) => (at === 0 ? { ...row, job_id } : row), job);
    expect(await gated(alter, job)).toEqual(noVerdict(new RegExp(`lists 1 ${noun} of another scan`)));
  });

  scenario.each(KINDS)('gate-evidence', 'with an entry that is no $noun has no verdict', async ({ job }) => {
    const alter = changed(`${job}/list-`, (body) => ({ ...body, data: [...objectsOf(body['data']).slice(1), null] }));
    expect((await gated(alter, job)).code).toBe(8);
  });

  scenario.each([-5, 0, 100, 101, 1e9].flatMap((asr) => KINDS.map((each) => ({ ...each, asr }))))(
    'gate-evidence',
    'whose rate of $asr % contradicts its list has no verdict: $kind',
    async ({ asr, job }) => {
      const ended = await gated(
        ofJob((scan) => ({ ...scan, asr }), job),
        job,
      );
      expect(ended).toEqual(noVerdict(/success rate of (?:-5|0|100|101|1000000000) %/));
    },
  );

  scenario.each([{ asr: 1 }, { asr: 3 }, { asr: 90 }])(
    'gate-evidence',
    'whose rate of $asr % is far from its list has no verdict',
    async ({ asr }) => {
      expect(await gated(rated(asr))).toEqual(
        noVerdict(/success rate of \d+ %, and the list 13 successful of 48 attacks/),
      );
    },
  );

  scenario.each(['0', null, [], {}, true].map((asr) => ({ asr })))(
    'gate-evidence',
    'has no verdict on the rate $asr',
    async ({ asr }) => {
      expect((await gated(rated(asr))).code).toBe(8);
    },
  );

  scenario('gate-evidence', 'with a rate and without a successful attack has no verdict', async () => {
    const alter = ofRows((row) => ({ ...row, threat: false }));
    expect(await gated(alter, jobs.static, ['--fail-on', 'critical'])).toEqual(
      noVerdict(/the list 0 successful of 48/),
    );
  });

  scenario.each([{ total: 0 }, { total: -1 }])(
    'gate-evidence',
    'that counts $total attacks and lists some has no verdict',
    async ({ total }) => {
      expect(await gated(ofJob((job) => ({ ...job, total, completed: total })))).toEqual(
        noVerdict(/counts (?:0|-1), and/),
      );
    },
  );

  scenario('gate-evidence', 'is another scan than the one asked for: no verdict', async () => {
    const alter = ofJob((job) => ({ ...job, uuid: jobs.earlierStatic }));
    expect(await gated(alter)).toEqual(noVerdict(/sent another scan than the red-team scan/));
  });

  scenario.each([
    { what: 'a failed attack', alter: ofRows((row, at) => (at === 0 ? { ...row, status: 'FAILED' } : row)) },
    { what: 'an attack of another scan', alter: ofRows((row, at) => (at === 0 ? { ...row, job_id: 'x' } : row)) },
    { what: 'a rate of 0', alter: rated(0) },
    { what: 'a rate of -5', alter: rated(-5) },
  ])('gate-evidence', 'with $what still fails on a broken limit', async ({ alter }) => {
    const ended = await gated(alter, jobs.static, ['--fail-on', 'low']);
    expect(ended).toEqual({ code: 1, says: expect.stringContaining('of severity low or higher') });
  });
});

describe('a baseline', () => {
  scenario.each([
    { what: 'has a rate of 0', alter: rated(0), says: /baseline.*success rate of 0 %/ },
    { what: 'has a rate of -5', alter: rated(-5), says: /baseline.*success rate of -5 %/ },
    {
      what: 'has an attack of another scan',
      alter: ofRows((row, at) => (at === 0 ? { ...row, job_id: 'x' } : row)),
      says: /baseline.*attack of another scan/,
    },
    {
      what: 'is another scan than the one asked for',
      alter: ofJob((job) => ({ ...job, uuid: jobs.custom })),
      says: /sent another scan than the baseline/,
    },
  ])('gate-evidence', 'that $what has no verdict', async ({ alter, says }) => {
    const limits = ['--baseline', jobs.static, '--max-asr', '100'];
    expect(await gated(alter, jobs.earlierStatic, limits)).toEqual(noVerdict(says));
  });
});

describe('a comparison', () => {
  scenario.each([
    { what: 'a rate that contradicts the list', alter: rated(0) },
    { what: 'an attack of another scan', alter: ofRows((row, at) => (at === 0 ? { ...row, job_id: 'x' } : row)) },
  ])('gate-evidence', 'is refused with $what', async ({ alter }) => {
    expect((await run(['compare', jobs.earlierStatic, jobs.static], { alter })).code).toBe(8);
  });
});

describe('a model scan', () => {
  const { allowed } = MODEL_SCANS;
  const ofScan = (more: JsonObject, summary: JsonObject | null = {}) =>
    changed(`/v1/scans/${allowed}`, (body) =>
      isObject(body['eval_summary'])
        ? { ...body, ...more, eval_summary: summary === null ? null : { ...body['eval_summary'], ...summary } }
        : body,
    );
  const judged = async (alter: Given['alter']) => {
    const ended = await run(['gate', 'model', allowed, '--output', 'table'], alter === undefined ? {} : { alter });
    return { code: ended.code, says: ended.stderr.replace(/\s+/g, ' '), shows: ended.stdout.replace(/\s+/g, ' ') };
  };

  scenario.each([
    { what: 'reports an error', alter: ofScan({ error_code: 'SCAN_ERROR' }), says: /reports an error: SCAN_ERROR\./ },
    { what: 'has an error message', alter: ofScan({ error_message: 'Broken.' }), says: /reports an error: Broken/ },
    { what: 'ran no rule', alter: ofScan({}, { rules_passed: 0, total_rules: 11 }), says: /ran 0 of 11 rules/ },
    { what: 'ran one rule less', alter: ofScan({}, { rules_passed: 1, total_rules: 11 }), says: /ran 1 of 11 rules/ },
    { what: 'has no rules', alter: ofScan({}, { rules_passed: 0, total_rules: 0 }), says: /ran 0 of \d+ rules/ },
    { what: 'does not say which rules ran', alter: ofScan({}, null), says: /ran 0 of/ },
    {
      what: 'scanned no file',
      alter: ofScan({ total_files_scanned: 0, total_files_skipped: 7 }),
      says: /scanned no file/,
    },
    { what: 'counts no files', alter: ofScan({ total_files_scanned: null }), says: /names no number of files/ },
    { what: 'has another id', alter: ofScan({ uuid: MODEL_SCANS.blocked }), says: /another scan than the model scan/ },
  ])('gate-evidence', 'that is allowed and $what has no verdict', async ({ alter, says }) => {
    expect(await judged(alter)).toMatchObject(noVerdict(says));
  });

  scenario('gate-evidence', 'always mentions skipped files', async () => {
    const passed = await judged(ofScan({ total_files_skipped: 7 }));
    expect(passed).toMatchObject({ code: 0, shows: expect.stringContaining('The scan skipped 7 files.') });
    const none = await judged(ofScan({ total_files_scanned: 0, total_files_skipped: 7 }));
    expect(none.shows).toContain('The scan skipped 7 files.');
  });
});
