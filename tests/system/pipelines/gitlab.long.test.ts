/** The job in the GitLab template, run as its runner does, with the installed package and a tenant on a socket. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { clockEnvironment } from '../../support/machine.ts';
import { type Ended, ended } from '../../support/program.ts';
import { acceptances, fingerprintsOfFailures, installedPackage, isPwned, repository, tenant } from './rehearsal.ts';

interface GitLabJob {
  readonly extends?: string;
  readonly image?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
  readonly artifacts?: {
    readonly when: string;
    readonly paths: readonly string[];
    readonly reports: Readonly<Record<string, string>>;
  };
}

/** Merges a job with the hidden job that it extends. */
function extended(name: string, jobs: Readonly<Record<string, GitLabJob>>): GitLabJob {
  const job = jobs[name];
  if (job === undefined) throw new Error(`there is no job ${name}`);
  if (job.extends === undefined) return job;
  const parent = extended(job.extends, jobs);
  return { ...parent, ...job, variables: { ...parent.variables, ...job.variables } };
}

interface GitLabRunner {
  readonly shell: 'bash' | 'sh';
  readonly folder: string;
  readonly path: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs a job. */
function runJob(
  { variables = {}, before_script = [], script = [] }: GitLabJob,
  { shell, folder, path, environment }: GitLabRunner,
): Promise<Ended> {
  const options = shell === 'bash' ? ['-eo', 'pipefail'] : ['-e'];
  const child = spawn(shell, [...options, '-c', [...before_script, ...script].join('\n')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ HOME: folder, ...clockEnvironment(), ...variables, ...environment },
      ...{ CI: 'true', GITLAB_CI: 'true', PATH: [...path, process.env['PATH']].join(':') },
    },
  });
  return ended(child);
}

const installed = installedPackage();
const secrets = tenant();

const MODEL = {
  AISEC_GATE_KIND: 'model',
  AISEC_GATE_SCAN: 'https://hub.example.com/unknown-org/summarizer',
  AISEC_GATE_SECURITY_GROUP: 'Production models',
};

interface Given {
  readonly variables: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly shell?: 'bash' | 'sh';
  /** Folders at the start of PATH. */
  readonly path?: readonly string[];
  readonly more?: Readonly<Record<string, string>>;
}

/** Runs a job that extends the hidden job. */
async function gate({ variables, folder = repository(), shell = 'bash', path = [], more = {} }: Given) {
  const { folder: at, bin } = installed();
  const template = readFileSync(join(at, 'pipelines/gitlab/aisec.gitlab-ci.yml'), 'utf8');
  const jobs = { ...(parse(template) as Record<string, GitLabJob>), gate: { extends: '.aisec-gate', variables } };
  const job = extended('gate', jobs);
  const ended = await runJob(job, { shell, folder, path: [...path, bin], environment: { ...secrets(), ...more } });
  const reports = Object.values(job.artifacts?.reports ?? {}).map((path) => join(folder, path));
  return { ...ended, folder, job, reports };
}

describe('the job of the template', () => {
  test.each(['bash', 'sh'] as const)('fails on a model in %s, with the reports that GitLab reads', async (shell) => {
    const { code, folder, job, reports, stderr } = await gate({ variables: MODEL, shell });
    expect({ code, stderr }).toMatchObject({ code: 1 });
    expect(job.artifacts?.when).toBe('always');
    expect(reports).toHaveLength(2);
    expect(reports.filter((path) => !existsSync(path))).toEqual([]);
    const [codeQuality = ''] = reports;
    expect(JSON.parse(readFileSync(codeQuality, 'utf8'))[0]).toMatchObject({
      severity: 'blocker',
      fingerprint: fingerprintsOfFailures(join(folder, 'aisec-reports/findings.sarif'))[0],
    });
    expect(readFileSync(join(folder, 'aisec-reports/summary.md'), 'utf8')).toContain('failed');
  });

  test('passes if the policy accepts the finding by the fingerprint of the code-quality report', async () => {
    const variables = { ...MODEL, AISEC_GATE_POLICY: 'aisec-policy.yml' };
    const folder = repository({ 'aisec-policy.yml': 'version: 1\n' });
    const first = await gate({ variables, folder });
    expect(first.code).toBe(1);
    const entries = JSON.parse(readFileSync(first.reports[0] ?? '', 'utf8')) as Record<string, string>[];
    const blockers = entries.filter(({ severity }) => severity === 'blocker');
    const accepted = acceptances(blockers.map(({ fingerprint = '' }) => fingerprint));
    writeFileSync(join(folder, 'aisec-policy.yml'), `version: 1\n${accepted}`);
    const second = await gate({ variables, folder });
    expect({ code: second.code, stderr: second.stderr }).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'aisec-reports/junit.xml'), 'utf8')).toContain('failures="0"');
  });

  test('has no verdict on a failed scan, and removes reports of an earlier run', async () => {
    const folder = repository();
    await gate({ variables: MODEL, folder });
    const subject = { AISEC_GATE_KIND: 'model', AISEC_GATE_SUBJECT: 'e8165f2b-c7d0-493e-8ba1-42c9f60d7e35' };
    const unfinished = await gate({ variables: subject, folder });
    expect(unfinished.code).toBe(8);
    expect(readFileSync(unfinished.reports[1] ?? '', 'utf8')).toContain('errors="1"');
    const denied = await gate({ variables: MODEL, folder, more: { AISEC_CLIENT_SECRET: 'wrong' } });
    expect(denied.code).toBe(4);
    expect(denied.reports.filter((path) => existsSync(path))).toEqual([]);
  });

  test.each([
    'AISEC_GATE_KIND',
    'AISEC_GATE_SCAN',
    'AISEC_GATE_SECURITY_GROUP',
    'AISEC_GATE_POLICY',
    'AISEC_GATE_ARGUMENTS',
    'AISEC_GATE_SUBJECT',
  ])('reads a hostile %s as a single word', async (name) => {
    for (const value of ['"; touch pwned; "', '$(touch pwned)', '`touch pwned`', "'\ntouch pwned\n'", '--help']) {
      const { code, folder } = await gate({ variables: { ...MODEL, [name]: value } });
      expect({ value, pwned: isPwned(folder), passed: code === 0 }).toEqual({ value, pwned: false, passed: false });
    }
  });

  test('installs the package named by a variable, without credentials', async () => {
    const folder = repository();
    const npm = join(folder, 'npm');
    writeFileSync(npm, `#!/bin/sh\nprintf '%s|' "$@" >words\nenv >environment\nexit 7\n`, { mode: 0o755 });
    const variables = { ...MODEL, AISEC_PACKAGE: '$(touch pwned)' };
    const { code } = await gate({ variables, folder, path: [folder] });
    expect(code).toBe(7);
    expect(readFileSync(join(folder, 'words'), 'utf8')).toBe(
      'install|--global|--ignore-scripts|--no-audit|--no-fund|--|$(touch pwned)|',
    );
    const environment = readFileSync(join(folder, 'environment'), 'utf8');
    for (const name of ['AISEC_CLIENT_SECRET', 'AISEC_RUNTIME_API_KEY'])
      expect(environment).not.toContain(secrets()[name]);
    expect(isPwned(folder)).toBe(false);
  });
});
