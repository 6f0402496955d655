/** Limits that a kind of red-team scan can never break, and severities that the service does not explain. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { run } from '../report/support.ts';
import { redTeamVerdict } from './support.ts';

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
