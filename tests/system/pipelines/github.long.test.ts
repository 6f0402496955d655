/** The action, run step by step as the runner does, with the installed package and a tenant on a socket. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { someOf } from '../../support/runs.ts';
import { runAction } from './github.ts';
import {
  acceptances,
  acceptedIn,
  act,
  fingerprintsOfFailures,
  githubRunner,
  installedPackage,
  isPwned,
  repository,
  tenant,
} from './rehearsal.ts';

const installed = installedPackage();
const secrets = tenant();

const MODEL = { gate: 'model', scan: 'https://hub.example.com/unknown-org/summarizer' };
const GROUP = { 'security-group': 'Production models' };
const { jobs } = RED_TEAM_IDS;

/** Runs the action. */
function gate(given: Readonly<Record<string, string>>, folder = repository(), more: Record<string, string> = {}) {
  return act(given, { ...secrets(), ...more }, { installed: installed(), folder });
}

describe('the action', () => {
  test('fails on a model with outputs, files, a summary and annotations', async () => {
    const done = await gate({ ...MODEL, ...GROUP });
    expect({ code: done.code, log: done.log, outputs: done.outputs }).toMatchObject({
      code: 1,
      outputs: { passed: 'false', 'exit-code': '1', sarif: expect.stringMatching(/findings\.sarif$/) },
    });
    expect(fingerprintsOfFailures(done.outputs['sarif'] ?? '')).toHaveLength(1);
    for (const name of ['junit.xml', 'code-quality.json'])
      expect(existsSync(join(done.outputs['reports'] ?? '', name))).toBe(true);
    expect(done.summary).toContain('failed');
    expect(done.commands).toEqual([
      { name: 'error', properties: { title: expect.stringMatching(/^aisec gate model/) }, message: expect.any(String) },
      {
        name: 'error',
        properties: { file: MODEL.scan, title: 'Denied organizations' },
        message: expect.stringContaining('denied'),
      },
    ]);
    // The log has the screen output, but each annotation only once.
    expect(done.log.match(/::error file=/g)).toHaveLength(1);
    expect(done.log).toContain('Denied organizations');
  });

  test('uploads the findings even if the gate fails', async () => {
    const done = await gate({ ...MODEL, ...GROUP });
    expect(done.inner.at(-1)).toMatchObject({
      uses: 'github/codeql-action/upload-sarif@v3',
      code: 0,
      with: { sarif_file: done.outputs['sarif'], category: 'aisec-model' },
    });
  });

  test.each([
    { title: 'when it is told not to', given: { ...MODEL, ...GROUP, 'upload-sarif': 'false' }, code: 1 },
    { title: 'when there is no result', given: { gate: 'bulk', subject: 'missing.jsonl' }, code: 5 },
  ])('uploads nothing $title', async ({ given, code }) => {
    const done = await gate(given);
    expect({ code: done.code, upload: done.inner.at(-1)?.code }).toEqual({ code, upload: undefined });
    if (code === 5) expect(done.outputs).toMatchObject({ passed: 'false', 'exit-code': '5', sarif: '' });
  });

  test('passes if the policy accepts the finding of the first run by its fingerprint', async () => {
    const folder = repository();
    const given = { ...MODEL, ...GROUP, policy: 'aisec-policy.yml' };
    writeFileSync(join(folder, given.policy), 'version: 1\n');
    const first = await gate(given, folder);
    expect(first.code).toBe(1);
    const found = fingerprintsOfFailures(first.outputs['sarif'] ?? '');
    expect(first.log).toContain(found[0]);
    writeFileSync(join(folder, given.policy), `version: 1\n${acceptances(found)}`);
    const second = await gate(given, folder);
    expect({ code: second.code, log: second.log }).toMatchObject({ code: 0 });
    expect(second.outputs).toMatchObject({ passed: 'true', 'exit-code': '0' });
    expect(second.summary).toContain('1 accepted by the policy.');
    expect(second.commands.map(({ name }) => name)).toEqual(['notice']);
    // Code scanning ignores suppressions, so an accepted finding would stay an open alert.
    expect(acceptedIn(second.outputs['sarif'] ?? '')).toEqual([]);
    const third = await gate({ ...given, 'omit-accepted': 'false' }, folder);
    expect(acceptedIn(third.outputs['sarif'] ?? '')).toEqual(found);
  });

  test('passes an accepted attack in the next red-team scan, which has other ids, and fails on new attacks', async () => {
    const limit = 'version: 1\nredteam: {fail_on: high}\n';
    const folder = repository({ 'aisec-policy.yml': limit });
    const given = {
      gate: 'redteam',
      start: 'support-chatbot',
      policy: 'aisec-policy.yml',
      arguments: 'job_type=STATIC',
      'omit-accepted': 'false',
    };
    const first = await gate(given, folder);
    expect(first.code).toBe(1);
    const found = fingerprintsOfFailures(first.outputs['sarif'] ?? '');
    writeFileSync(join(folder, given.policy), limit + acceptances(found));
    const second = await gate(given, folder);
    const accepted = acceptedIn(second.outputs['sarif'] ?? '');
    expect(accepted.length).toBeGreaterThan(0);
    expect(found).toEqual(expect.arrayContaining(accepted));
    const failures = fingerprintsOfFailures(second.outputs['sarif'] ?? '');
    expect({ code: second.code, known: failures.filter((each) => found.includes(each)) }).toEqual({
      code: failures.length === 0 ? 0 : 1,
      known: [],
    });
  });

  test.each([
    { title: 'a scan that failed', given: { gate: 'model', subject: 'e8165f2b-c7d0-493e-8ba1-42c9f60d7e35' } },
    { title: 'a partial scan', given: { gate: 'redteam', subject: jobs.partial, 'max-asr': '100' } },
    { title: 'a scan that it does not wait for', given: { ...MODEL, ...GROUP, wait: 'false' } },
  ])('has no verdict on $title, and does not pass', async ({ given }) => {
    const done = await gate(given);
    expect({ code: done.code, outputs: done.outputs, log: done.log }).toMatchObject({
      code: 8,
      outputs: { passed: 'false', 'exit-code': '8' },
    });
  });

  test.each([
    { title: 'wrong credentials', more: { AISEC_CLIENT_SECRET: 'wrong' }, code: 4 },
    { title: 'no credentials', more: { AISEC_CLIENT_SECRET: '' }, code: 3 },
  ])('does not pass with $title', async ({ more, code }) => {
    const done = await gate({ ...MODEL, ...GROUP }, repository(), more);
    expect({ code: done.code, passed: done.outputs['passed'] }).toEqual({ code, passed: 'false' });
  });

  test('runs without a tenant on the simulated service, and says so', async () => {
    const done = await act(
      { ...MODEL, ...GROUP, simulate: 'true' },
      {},
      { installed: installed(), folder: repository() },
    );
    expect(done.code).toBe(1);
    expect(done.summary).toContain('SIMULATED');
  });
});

describe('a hostile input', () => {
  const HOSTILE = [
    '"; touch pwned; "',
    "'; touch pwned; '",
    '$(touch pwned)',
    '`touch pwned`',
    'a\ntouch pwned\n',
    'x\nARGUMENTS\ntouch pwned\n',
    '${{ github.token }}',
    '--help',
    '--simulate',
    '* ; touch pwned',
  ];
  const INPUTS = ['gate', 'subject', 'scan', 'security-group', 'start', 'arguments', 'policy', 'baseline', 'category'];
  const BASES = { model: { ...MODEL, ...GROUP }, redteam: { gate: 'redteam', start: 'support-chatbot' } };
  const rows = INPUTS.map((input, at) => ({
    input,
    values: someOf(
      HOSTILE.filter((_, row) => (row + at) % 2 === 0),
      Math.floor(at / 2),
    ),
  }));

  test.each(rows)('in $input is a single word', async ({ input, values }) => {
    const base = ['start', 'arguments', 'baseline'].includes(input)
      ? { ...BASES.redteam, 'max-asr': '1' }
      : { ...BASES.model };
    for (const value of values) {
      const folder = repository();
      const { code, outputs, log } = await gate({ ...base, [input]: value }, folder);
      expect({ value, pwned: isPwned(folder) }).toEqual({ value, pwned: false });
      expect({ value, passed: outputs['passed'], code: code === 0, log }).toMatchObject({
        passed: 'false',
        code: false,
      });
    }
  });

  test.each([
    { given: { gate: '--help' }, code: 2 },
    // It is looked up as a model name.
    { given: { gate: 'model', subject: '--help' }, code: 5 },
    { given: { gate: 'redteam', subject: jobs.static, 'max-asr': '1', arguments: '--max-asr=100' }, code: 2 },
    { given: { gate: 'redteam', start: 'support-chatbot', 'max-asr': '1', arguments: '--max-asr=100' }, code: 2 },
  ])('$given is not read as an option', async ({ given, code }) => {
    expect(await gate(given as Record<string, string>)).toMatchObject({ code });
  });

  test('in a scanned file is shown in the log, and the runner does not obey it', async () => {
    const prompt = 'Ignore ##[set-output name=passed]true\n::set-output name=passed::true';
    const row = { row: 1, action: 'block', category: 'malicious', scan_id: 's', prompt, prompt_detected: {} };
    const folder = repository({ 'run.jsonl': `${JSON.stringify(row)}\n` });
    const done = await gate({ gate: 'bulk', subject: 'run.jsonl', explain: 'true' }, folder);
    expect(done.log).toContain('Ignore ## [set-output name=passed]true');
    expect(done.commands.map(({ name }) => name)).toEqual(['error', 'error']);
    expect(done).toMatchObject({ code: 1, outputs: { passed: 'false' } });
  });

  test('as a package is a single word for npm, which sees no credentials and runs no scripts', async () => {
    const folder = repository();
    const runner = githubRunner(installed(), folder);
    const npm = join(runner.temp, 'npm');
    writeFileSync(npm, `#!/bin/sh\nprintf '%s|' "$@" >'${folder}/words'\nenv >'${folder}/environment'\nexit 1\n`, {
      mode: 0o755,
    });
    runner.path.push(runner.temp);
    const done = await runAction({ ...MODEL, package: '-x"; touch pwned; $(touch pwned)' }, secrets(), runner);
    expect(done.code).toBe(1);
    expect(readFileSync(join(folder, 'words'), 'utf8')).toBe(
      'install|--global|--no-audit|--no-fund|--|-x"; touch pwned; $(touch pwned)|',
    );
    const environment = readFileSync(join(folder, 'environment'), 'utf8');
    expect(environment).toContain('npm_config_ignore_scripts=true');
    for (const name of ['AISEC_CLIENT_SECRET', 'AISEC_RUNTIME_API_KEY'])
      expect(environment).not.toContain(secrets()[name]);
    expect(isPwned(folder)).toBe(false);
    expect(done.inner.map(({ code }) => code)).toEqual([1, undefined, undefined]);
  });
});
