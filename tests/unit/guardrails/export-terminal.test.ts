/** `aisec export`, as a person and a build run it. */
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../report/support.ts';

const place = (name: string) => join(temporaryFolder('export'), name);

describe('aisec export', () => {
  test('writes a private file, says what it has, and apply finds no difference', async () => {
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

  test('writes JSON to a file of that extension, with the same content', async () => {
    const [json, yaml] = [place('backup.json'), await run(['export', '-', '--output', 'json'])];
    await run(['export', json]);
    expect(JSON.parse(readFileSync(json, 'utf8'))).toEqual(JSON.parse(yaml.stdout));
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

  test('does not write through a link that leads nowhere', async () => {
    const [link, outside] = [place('backup.yml'), place('outside.yml')];
    symlinkSync(outside, link);
    expect((await run(['export', link])).code).toBe(5);
    expect(existsSync(outside)).toBe(false);
  });

  test('asks the service for nothing if the file cannot be written', async () => {
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
    { argv: ['export', '-', '--only', ''], message: 'Option --only' },
    { argv: ['doctor', '--force'], message: 'Option --force belongs to: aisec export.' },
  ])('refuses $argv', async ({ argv, message }) => {
    expect(await run(argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('says how to leave out what the client may not read', async () => {
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
