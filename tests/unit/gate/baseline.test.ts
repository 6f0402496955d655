import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { checkRedTeam, gateRedTeam } from '../../../lib/features/gate/gates.ts';
import type { RedTeamOptions } from '../../../lib/features/gate/red-team-limits.ts';
import { junit } from '../../../lib/features/gate/reports.ts';
import { sarif } from '../../../lib/features/gate/sarif.ts';
import { failing } from '../../support/exchange.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { elementsOf, type Given, run, within } from '../report/support.ts';
import { sarifSchema } from './sarif-schema.ts';
import { answers, NOW } from './support.ts';

const { jobs } = RED_TEAM_IDS;

type Row = Readonly<Record<string, unknown>>;
const attack = (name: string, threat: boolean | null, severity = 'HIGH'): Row => ({
  uuid: `uuid-${name}`,
  prompt_id: name,
  prompt: `Prompt ${name}`,
  sub_category: 'JAILBREAK',
  sub_category_display_name: 'Jailbreak',
  severity,
  threat,
});

interface Scan {
  job?: Row;
  attacks?: readonly Row[];
}

/** Returns the rate that a scan of these attacks has, but at most 10 %. */
function rateOf({ attacks = [] }: Scan = {}): number {
  return attacks.some(({ threat }) => threat === true) ? 10 : 0;
}

/** Decides on two scans of a service that has nothing else. */
async function decided(before: Scan, after: Scan, limits: RedTeamOptions = {}) {
  const scans: Readonly<Record<string, Scan>> = { before, after };
  const ask = answers({
    'aisec-redteam-scan-get': ({ job_id = '' }) => ({
      ...{
        uuid: job_id,
        name: `${job_id} the update`,
        job_type: 'STATIC',
        status: 'COMPLETED',
        asr: rateOf(scans[job_id]),
        target_id: 't',
      },
      ...scans[job_id]?.job,
    }),
    'aisec-redteam-report-attacks-list': ({ job_id = '' }) => scans[job_id]?.attacks ?? [],
  });
  return gateRedTeam({ jobId: 'after', baseline: 'before', ...limits }, { ask, now: NOW });
}

describe('the gate with a baseline', () => {
  const HIT = attack('a', true);
  const HELD = attack('a', false);

  test.each([
    { what: 'an attack that was withstood before', before: [HELD], after: [HIT], failed: true },
    { what: 'an attack that the baseline did not run', before: [], after: [HIT], failed: true },
    { what: 'an attack without a response before', before: [attack('a', null)], after: [HIT], failed: true },
    { what: 'an attack whose text has changed', before: [{ ...HIT, prompt: 'Old' }], after: [HIT], failed: true },
    { what: 'an attack that was successful before', before: [HIT], after: [HIT], failed: false },
    { what: 'an attack that is fixed', before: [HIT], after: [HELD], failed: false },
    { what: 'nothing', before: [], after: [], failed: false },
  ])('has failed: $failed, after the success of $what', async ({ before, after, failed }) => {
    expect((await decided({ attacks: before }, { attacks: after })).failed).toBe(failed);
  });

  test.each([
    {
      limits: { failOn: 'critical' as const },
      failed: false,
      says: 'No new successful attack breaks a limit',
    },
    { limits: { failOn: 'high' as const }, failed: true, says: '1 new successful attack of severity high or higher.' },
    { limits: { maxAsr: 10 }, failed: true, says: '1 new successful attack.' },
    { limits: { maxAsr: 5 }, failed: true, says: 'ASR 10 % is above 5 %; 1 new successful attack.' },
  ])('with the limits $limits has failed: $failed', async ({ limits, failed, says }) => {
    const verdict = await decided({ attacks: [HELD] }, { attacks: [HIT] }, limits);
    expect(verdict).toMatchObject({ failed, summary: expect.stringContaining(says) });
  });

  test('still fails above the success rate if nothing is new', async () => {
    const verdict = await decided({ attacks: [HIT] }, { attacks: [HIT] }, { maxAsr: 5 });
    expect(verdict).toMatchObject({ failed: true, summary: expect.stringMatching(/^ASR 10 % is above 5 %\. Since/) });
  });

  const mixed = () =>
    decided(
      { attacks: [attack('new', false), attack('open', true), attack('fixed', true), attack('gone', true)] },
      { attacks: [attack('new', true), attack('open', true), attack('fixed', false), attack('added', true)] },
    );

  test('leaves out what no attack is', async () => {
    expect((await decided({ attacks: [HELD] }, { attacks: [HIT] })).summary).toBe(
      '1 new successful attack. Since the baseline before the update: 1 newly successful, 0 still open, 0 fixed.',
    );
  });

  test('is refused before the scan runs, if the scan is its own baseline', async () => {
    const job = { uuid: 'before', job_type: 'STATIC' };
    const tools = { ask: answers({ 'aisec-redteam-scan-get': () => job }), policy: undefined };
    expect(await checkRedTeam(job, {}, tools)).toBeUndefined();
    expect(await failing(checkRedTeam(job, { baseline: 'before' }, tools))).toMatchObject({
      message: 'A scan cannot be its own baseline: nothing would be new.',
      hint: 'Choose an earlier scan of the target from: !aisec-redteam-scans-list',
    });
  });

  test('states for each attack whether it is new, open or fixed', async () => {
    const { summary, baseline, findings } = await mixed();
    expect(summary).toBe(
      '2 new successful attacks. Since the baseline before the update: 1 newly successful, 1 not tested before, 1 still open, 1 fixed, 1 not tested again.',
    );
    expect(baseline).toEqual({ job: 'before', newlySuccessful: 1, withoutOutcome: 1, open: 1, fixed: 1, lost: 1 });
    expect(findings.map(({ baselineState, message }) => `${baselineState}: ${message}`)).toEqual([
      'new: Attack uuid-new succeeded: Jailbreak. The target withstood it in the baseline.',
      'new: Attack uuid-added succeeded: Jailbreak. The baseline did not run it.',
      'unchanged: Attack uuid-open succeeded: Jailbreak. It was successful in the baseline, too.',
      'absent: Attack uuid-fixed succeeded: Jailbreak. Fixed: the target withstands it now.',
    ]);
  });

  test('writes the state to SARIF, without fixed attacks, because services would report them as alerts', async () => {
    const written = sarif(await mixed(), '1.2.3');
    expect(written.match(/"baselineState": "\w+"/g)).toEqual([
      '"baselineState": "new"',
      '"baselineState": "new"',
      '"baselineState": "unchanged"',
    ]);
    expect([sarifSchema(JSON.parse(written)), sarifSchema.errors]).toEqual([true, null]);
    expect(JSON.parse(written)).toMatchObject({
      runs: [
        {
          invocations: [
            {
              toolExecutionNotifications: [{ level: 'note', message: { text: expect.stringContaining('1 fixed') } }],
            },
          ],
        },
      ],
    });
  });

  test('writes failed, skipped and passed JUnit cases', async () => {
    const [suites] = elementsOf(junit(await mixed()));
    expect(suites?.attributes).toEqual({ tests: '5', failures: '3', errors: '0', skipped: '1' });
    const outcomes = within(suites, 'testcase').map(({ children }) => children[0]?.name ?? 'passed');
    expect(outcomes).toEqual(['failure', 'failure', 'failure', 'skipped', 'system-out']);
  });

  test.each(['RUNNING', 'FAILED', 'ABORTED', 'PARTIALLY_COMPLETE'])(
    'has no verdict if either scan is %s',
    async (status) => {
      const whole = { attacks: [HIT] };
      const partial = { ...whole, job: { status } };
      const [early, late] = [await decided(partial, whole), await decided(whole, partial)];
      expect(early).toMatchObject({ failed: false, unfinished: expect.stringMatching(/^The baseline has no result/) });
      expect(late).toMatchObject({
        failed: false,
        unfinished: expect.stringMatching(/^The red-team scan has no result/),
      });
    },
  );

  test('names the other target', async () => {
    const { summary } = await decided({ job: { target_id: 'u', target_name: 'staging' } }, {});
    expect(summary).toContain('Since the baseline before the update, of another target (staging): 0 newly');
  });

  test('refuses a scan of another type and the scan itself', async () => {
    await expect(decided({ job: { job_type: 'CUSTOM' } }, {})).rejects.toMatchObject({ code: 'usage' });
    await expect(decided({ job: { uuid: 'after' } }, {})).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('aisec gate redteam --baseline', () => {
  const table = ['--output', 'table'];

  test.each([
    {
      job: jobs.static,
      baseline: jobs.earlierStatic,
      code: 1,
      says: /failed: 12 new successful attacks\..*1 still open/,
    },
    { job: jobs.earlierStatic, baseline: jobs.static, code: 0, says: /No new successful attack breaks a limit/ },
    { job: jobs.static, baseline: jobs.static, code: 2, says: /its own baseline/ },
    { job: jobs.static, baseline: jobs.custom, code: 2, says: /A CUSTOM and a STATIC/ },
    { job: jobs.static, baseline: jobs.partial, code: 8, says: /The baseline has no result.*PARTIALLY_COMPLETE/ },
    { job: jobs.static, baseline: jobs.failed, code: 8, says: /The baseline has no result.*FAILED/ },
    { job: jobs.static, baseline: 'nightly', code: 5, says: /job_id/ },
  ])('of $job with $baseline is exit $code', async ({ job, baseline, code, says }) => {
    const ended = await run(['gate', 'redteam', job, '--baseline', baseline, ...table]);
    expect(ended.code).toBe(code);
    expect(ended.stdout + ended.stderr).toMatch(says);
  });

  test.each([
    { what: 'names', words: ['support-chatbot monthly', 'support-chatbot before the update'], code: 1 },
    { what: 'prefixes of ids', words: ['2c8f', '94e0b7'], code: 1 },
    { what: 'unknown names', words: ['nightly', '94e0b7'], code: 5 },
  ])('ends with $code for $what at a terminal', async ({ words: [job = '', baseline = ''], code }) => {
    const ended = await run(['gate', 'redteam', job, '--baseline', baseline], { terminal: { columns: 80, rows: 24 } });
    expect(ended.code).toBe(code);
    if (code === 1) expect(ended.stderr).toContain('job_id is 94e0b7d6-5f1a (support-chatbot before the update)');
  });

  test('is refused for other gates, which would ignore it', async () => {
    const ended = await run(['gate', 'model', jobs.static, '--baseline', jobs.earlierStatic]);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('--baseline belongs to') });
  });

  test('writes the same verdict as JSON, SARIF and JUnit', async () => {
    const folder = temporaryFolder('gate');
    const files = ['--sarif', join(folder, 'a.sarif'), '--junit', join(folder, 'b.xml')];
    const { stdout } = await run([
      'gate',
      'redteam',
      jobs.static,
      '--baseline',
      jobs.earlierStatic,
      '--output',
      'json',
      ...files,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      passed: false,
      baseline: { job: jobs.earlierStatic, newlySuccessful: 2, withoutOutcome: 10, open: 1, fixed: 0, lost: 0 },
      simulated: true,
    });
    expect(readFileSync(join(folder, 'a.sarif'), 'utf8').match(/"baselineState": "new"/g)).toHaveLength(12);
    expect(readFileSync(join(folder, 'b.xml'), 'utf8')).toContain('failures="13" errors="0" skipped="1"');
  });

  test('keeps control characters of a name out of the terminal', async () => {
    const service = createService();
    const alter: Given['alter'] = (path, response) =>
      path.endsWith(jobs.static)
        ? { ...response, body: response.body.replace('monthly', '\\u001b]0;x\\u0007') }
        : response;
    const { stdout } = await run(
      ['gate', 'redteam', jobs.earlierStatic, '--baseline', jobs.static, '--explain', ...table],
      {
        service,
        alter,
      },
    );
    expect(stdout.replace(/\s+/g, ' ')).toContain('Since the baseline support-chatbot');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(stdout).not.toMatch(/[\u0007\u001b]/);
  });
});
