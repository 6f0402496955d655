/** Limits that a kind of red-team scan can never break, and severities that the service does not explain. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { hasLimits, type RedTeamOptions, refuseImpossible } from '../../../lib/features/gate/red-team-limits.ts';
import { failing } from '../../support/exchange.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { run } from '../report/support.ts';
import { policyOf, redTeamVerdict } from './support.ts';

const { jobs } = RED_TEAM_IDS;

/** Runs a gate with a policy. */
async function withPolicy(job: string, redteam: string) {
  const file = join(temporaryFolder('gate'), 'aisec-policy.yml');
  writeFileSync(file, `version: 1\nredteam: ${redteam}\n`);
  return run(['gate', 'redteam', job, '--policy', file, '--output', 'table']);
}

describe('a limit of a scan that has no severities', () => {
  scenario.each(
    [jobs.custom, jobs.dynamic].flatMap((job) => ['critical', 'high', 'low'].map((severity) => ({ job, severity }))),
  )('gate-possible', 'is refused: --fail-on $severity for $job', async ({ job, severity }) => {
    const ended = await run(['gate', 'redteam', job, '--fail-on', severity, '--max-asr', '100', '--output', 'table']);
    expect(ended).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--fail-on \w+ cannot decide on a (CUSTOM|DYNAMIC) red-team scan.*--max-asr/s),
    });
  });

  scenario.each([
    { job: jobs.custom, redteam: '{fail_on: critical}', line: 'redteam.fail_on' },
    { job: jobs.custom, redteam: '{limits: [{category: JAILBREAK, max_successful: 0}]}', line: 'redteam.limits.0' },
    {
      job: jobs.custom,
      redteam: '{limits: [{max_successful: 9}, {severity: high, max_successful: 0}]}',
      line: 'redteam.limits.1',
    },
    { job: jobs.custom, redteam: '{frameworks: {OWASP: {max_successful: 0}}}', line: 'redteam.frameworks.OWASP' },
    { job: jobs.dynamic, redteam: '{limits: [{category: JAILBREAK, max_successful: 0}]}', line: 'redteam.limits.0' },
    { job: jobs.dynamic, redteam: '{limits: [{severity: low, max_successful: 0}]}', line: 'redteam.limits.0' },
  ])('gate-possible', 'is refused with its line: $redteam for $job', async ({ job, redteam, line }) => {
    const ended = await withPolicy(job, redteam);
    expect(ended.code).toBe(2);
    expect(ended.stderr.replace(/\s+/g, ' ')).toContain(`aisec-policy.yml:2, ${line} cannot decide on a`);
  });

  scenario.each([
    { job: jobs.custom, redteam: '{limits: [{max_successful: 0}]}', code: 1 },
    { job: jobs.custom, redteam: '{max_asr_percent: 1}', code: 1 },
    { job: jobs.dynamic, redteam: '{limits: [{max_successful: 100}]}', code: 0 },
    { job: jobs.dynamic, redteam: '{limits: [{category: TOOL_MISUSE, max_successful: 100}]}', code: 0 },
    { job: jobs.static, redteam: '{fail_on: critical, limits: [{category: JAILBREAK, max_successful: 0}]}', code: 1 },
  ])('gate-possible', 'has a working replacement: $redteam for $job', async ({ job, redteam, code }) => {
    expect((await withPolicy(job, redteam)).code).toBe(code);
  });
});

describe('a severity that the service does not explain', () => {
  const job = { uuid: 'j', name: 'nightly', status: 'COMPLETED', asr: 50 };

  scenario.each([{ severity: 'SEVERE' }, { severity: null }, { severity: '' }])(
    'gate-possible',
    'breaks every limit of severities: $severity',
    async ({ severity }) => {
      const attack = { uuid: 'a', severity, prompt: 'x', sub_category: 'JAILBREAK' };
      expect(await redTeamVerdict(job, [attack], { failOn: 'critical' })).toMatchObject({
        failed: true,
        findings: [{ severity: 'critical' }],
      });
    },
  );
});

describe('the refusal of a limit', () => {
  const COUNTS =
    'Use --max-asr N, or in the policy redteam.max_asr_percent or redteam.limits with max_successful alone';
  const GOALS =
    'BASE, GOAL_MANIPULATION, PRIVILEGE_MISUSE, TOOL_MISUSE, TOOL_CHAINING, TOXIC_CONTENT_GENERATION, CUSTOM';
  const refused = async (job_type: unknown, options: RedTeamOptions, redteam?: string) => {
    const file = redteam === undefined ? undefined : await policyOf(`redteam: ${redteam}`);
    refuseImpossible({ job_type: job_type as string }, options, file);
  };
  const LINE = 'aisec-policy.yml:2, redteam';

  test.each([
    { type: 'CUSTOM', options: { failOn: 'low' }, redteam: '{fail_on: high}', limit: '--fail-on low' },
    { type: 'CUSTOM', options: { maxAsr: 5 }, redteam: '{fail_on: high}', limit: `${LINE}.fail_on` },
    { type: 'CUSTOM', redteam: '{limits: [{category: TOOL_MISUSE, max_successful: 0}]}', limit: `${LINE}.limits.0` },
    {
      type: 'DYNAMIC',
      redteam: '{limits: [{category: TOOL_MISUSE, max_successful: 0}, {severity: low, max_successful: 0}]}',
      limit: `${LINE}.limits.1`,
    },
    {
      type: 'DYNAMIC',
      redteam: '{limits: [{category: BASE, severity: low, max_successful: 0}]}',
      limit: `${LINE}.limits.0`,
    },
    { type: 'DYNAMIC', redteam: '{frameworks: {NIST: {max_successful: 0}}}', limit: `${LINE}.frameworks.NIST` },
  ] as const)('names the limit and what decides instead: $type $redteam', async ({ type, redteam, limit, ...more }) => {
    const options: RedTeamOptions = 'options' in more ? more.options : {};
    expect(await failing(refused(type, options, redteam))).toMatchObject({
      code: 'usage',
      message: `${limit} cannot decide on a ${type} red-team scan: the service gives it no severities, categories or frameworks.`,
      hint: type === 'CUSTOM' ? `${COUNTS}.` : `${COUNTS} or with the type of a goal as its category: ${GOALS}.`,
    });
  });

  test.each([
    { type: 'STATIC', redteam: '{fail_on: high}' },
    { type: 'constructor', redteam: '{fail_on: high}' },
    { type: undefined, redteam: '{fail_on: high}' },
    { type: 'CUSTOM', redteam: '{max_asr_percent: 5, limits: [{max_successful: 0}]}' },
    { type: 'CUSTOM', redteam: '{}' },
    { type: 'CUSTOM', redteam: undefined },
    { type: 'DYNAMIC', redteam: '{limits: [{category: TOOL_MISUSE, max_successful: 0}]}' },
  ])('spares what the scan can break: $type $redteam', async ({ type, redteam }) => {
    expect(await refused(type, { maxAsr: 100 }, redteam)).toBeUndefined();
  });

  test.each([-1, 100.01])('names the range of a rate: %s', async (maxAsr) => {
    const error = await failing(refused('STATIC', { maxAsr }));
    expect(error.message).toBe('A success rate is limited in percent, from 0 to 100.');
  });
});

test.each([
  { options: {}, redteam: undefined, limits: false },
  { options: {}, redteam: '{}', limits: false },
  { options: { maxAsr: 0 }, redteam: undefined, limits: true },
  { options: { failOn: 'low' }, redteam: undefined, limits: true },
  { options: {}, redteam: '{fail_on: low}', limits: true },
] as const)('a gate with $options and $redteam has limits: $limits', async ({ options, redteam, limits }) => {
  expect(hasLimits(options, redteam === undefined ? undefined : await policyOf(`redteam: ${redteam}`))).toBe(limits);
});

test('a gate with a policy about something else has no limits', async () => {
  expect(hasLimits({}, await policyOf('bulk: {max_blocked: 1}'))).toBe(false);
});
