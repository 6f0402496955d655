/** Exports: a tenant's resources, in a form that is the same for every tenant. */

import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { createService } from '../../../fixtures/service/index.ts';
import { changesIn } from '../../../lib/features/guardrails/apply.ts';
import { exportTenant } from '../../../lib/features/guardrails/export.ts';
import { applicationError } from '../../../lib/features/guardrails/outcome.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs, TEST_MS } from '../../support/runs.ts';
import { run } from '../report/support.ts';
import { anyDlp, anyTargets, file } from './random-files.ts';
import {
  apply,
  blocking,
  emptyTenancy,
  exported,
  listing,
  pinned,
  plan,
  policy,
  profile,
  type Records,
  TOPIC,
  tenancy,
  topic,
} from './support.ts';

/** Topics that the profiles of random files refer to. */
const SEEDED = ['investment-advice', 'insurance-claims', 'competitor-pricing'].map((name) => ({ ...TOPIC, name }));
const OPEN = { prune: true, allowUnknown: true };
const MERGED = { prune: false, allowUnknown: true };

test(
  'the file of any tenant, applied to an empty tenant, leaves no difference and exports as the same file',
  async () => {
    const holds = async (content: object, dlp: object, targets: object) => {
      const source = await emptyTenancy();
      expect(applicationError(await apply({ topics: SEEDED, dlp, targets }, source))).toBeUndefined();
      await apply(content, source, OPEN);
      const first = await exported(source);
      const target = await emptyTenancy();
      expect(applicationError(await apply(first.document, target, MERGED))).toBeUndefined();
      expect(changesIn(await plan(first.document, target, MERGED))).toEqual([]);
      expect((await exported(target)).document).toEqual(first.document);
    };
    await fc.assert(fc.asyncProperty(file, anyDlp, anyTargets, holds), runs(60, 11));
  },
  TEST_MS,
);

test('the file has no id, no revision and no time', async () => {
  const source = tenancy();
  const text = JSON.stringify((await exported(source, ['topics', 'profiles'])).document);
  expect(text).not.toMatch(/"(?:\w+_)?(?:id|uuid|revision|version)":(?!1,"topics")|\d{4}-\d\d-\d\d/);
});

const written = ({ ...records }: Records) => exportTenant(listing(records), ['topics', 'profiles']);

describe('an export', () => {
  test('names the topics by their current names', async () => {
    const guardrail = policy({ ...blocking({ ...pinned('new'), topic_name: 'old' }) });
    const { document } = await written({ topics: [topic('new')], profiles: [profile('p', { policy: guardrail })] });
    expect(JSON.stringify(document)).toContain('"topic":[{"topic_name":"new"}]');
  });

  test.each([
    { reference: pinned('t', 1), note: 'profile p stays at revision 1 of topic t; by the file it has the newest one.' },
    { reference: pinned('gone'), note: 'profile p refers to the topic gone, which the tenant does not list.' },
  ])('notes what a file cannot contain: $note', async ({ reference, note }) => {
    const profiles = [profile('p', { policy: policy(blocking(reference)) })];
    expect((await written({ topics: [topic('t')], profiles })).notes).toEqual([note]);
  });

  test.each<{ what: string; records: Records; message: string }>([
    {
      what: 'a topic without its examples',
      records: { topics: [topic('t', { examples: null })] },
      message: 'The service listed the topic t without its description and examples.',
    },
    {
      what: 'a profile without its policy',
      records: { profiles: [profile('p', { policy: null })] },
      message: 'The service listed the profile p without its policy, which cannot be compared or sent back.',
    },
    {
      what: 'a profile without its state',
      records: { profiles: [profile('p', { active: null })] },
      message: 'The service listed the profile p without its state.',
    },
  ])('refuses $what', async ({ records, message }) => {
    await expect(written(records)).rejects.toThrow(message);
  });
});

const place = (name: string) => join(temporaryFolder('export'), name);

describe('aisec export', () => {
  test('writes a private file, reports its contents, and apply finds no difference', async () => {
    const path = place('backup.yml');
    const service = createService();
    const { code, stdout } = await run(['export', path, '--output', 'table'], { service });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^3 topics, 4 profiles.* of tenant 1000000001 in \S+backup\.yml\.\n$/),
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const again = await run(['apply', path, '--dry-run', '--exit-code', '--output', 'table'], { service });
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/^0 to create, 0 to update, 0 to delete/m);
  });

  test('writes YAML to standard output, and nothing else', async () => {
    const { stdout } = await run(['export', '-', '--only', 'topics']);
    expect(stdout).toMatch(/^version: 1\ntopics:\n {2}- name: competitor-pricing\n/);
    expect(stdout).not.toContain('profiles:');
  });

  test('keeps an existing file, and writes over it with --force', async () => {
    const path = place('backup.yml');
    writeFileSync(path, 'mine', { mode: 0o640 });
    const refused = await run(['export', path]);
    expect(refused).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('is not overwritten') });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect((await run(['export', path, '--force'])).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('version: 1');
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  test('does not write through a dangling link', async () => {
    const [link, outside] = [place('backup.yml'), place('outside.yml')];
    symlinkSync(outside, link);
    expect((await run(['export', link])).code).toBe(5);
    expect(existsSync(outside)).toBe(false);
  });

  test('sends no request if the file cannot be written', async () => {
    const folder = place('folder');
    mkdirSync(folder);
    let requests = 0;
    const alter = (_: string, response: never) => {
      requests += 1;
      return response;
    };
    expect((await run(['export', join(folder, 'no', 'b.yml')], { alter: alter as never })).code).toBe(3);
    expect(requests).toBe(0);
  });

  test.each([
    { argv: ['export'], message: 'aisec export needs a file' },
    { argv: ['export', '-', '--only', 'topics,keys'], message: 'Option --only does not know the kind "keys".' },
    { argv: ['doctor', '--force'], message: 'Option --force belongs to: aisec export.' },
  ])('refuses $argv', async ({ argv, message }) => {
    expect(await run(argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('says how to leave out resources that the client may not read', async () => {
    const service = createService({ faults: ['403@/v2/api'] });
    const { code, stderr } = await run(['export', '-'], { service });
    expect([code, stderr]).toEqual([4, expect.stringContaining('leave it out with --only topics,profiles,targets.')]);
    expect((await run(['export', '-', '--only', 'topics,profiles,targets'], { service })).code).toBe(0);
  });

  test('leaves no file if a list is incomplete', async () => {
    const path = place('backup.yml');
    const { code } = await run(['export', path], {
      alter: (url, response) => (url.includes('/topics/') ? { ...response, body: '{"custom_topics":null}' } : response),
    });
    expect(code).toBe(8);
    expect(existsSync(path)).toBe(false);
  });
});
