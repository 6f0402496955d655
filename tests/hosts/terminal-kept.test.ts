/** Results of a change that are saved because its output does not show them or fails. */
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { extra, keptIn, SECRET } from './kept-files.ts';
import { type Given, rehearse, start } from './terminal-support.ts';

const LINE = `!aisec-widget-key name=cog key=${SECRET}`;
const MAKE = '!aisec-widget-make name=cog';

describe('a one-time secret', () => {
  const record = { name: 'cog', key: SECRET };

  scenario('secret-kept', 'is not asked for if no directory can take it', async () => {
    const elsewhere = jest.spyOn(os, 'tmpdir').mockReturnValue('/dev/null/tmp');
    const { code, stderr, requests } = await rehearse(['!aisec-widget-key', 'name=cog', '--output', 'table'], {
      extra,
      environment: { XDG_STATE_HOME: '/dev/null/state' },
    });
    elsewhere.mockRestore();
    expect({ code, sent: requests.length }).toEqual({ code: 3, sent: 0 });
    expect(stderr).toContain('no directory is writable');
  });

  scenario.each([
    { what: 'a table', argv: [LINE, '--output', 'table'] },
    { what: 'a quiet table', argv: [LINE, '--output', 'table', '--quiet'] },
    { what: 'markdown', argv: [LINE, '--output', 'markdown'] },
    { what: 'fields without it', argv: [LINE, '--output', 'context', '--fields', 'name'] },
    { what: 'jq', argv: [LINE, '--output', 'json', '--jq', '.command'] },
    { what: 'no output in the context', argv: [`${LINE} ignore-outputs=true`, '--output', 'json'] },
    { what: 'a raw response', argv: [`${LINE} raw-response=true`, '--output', 'table'] },
  ])('secret-kept', 'with $what is saved in a file whose path is printed', async ({ argv }) => {
    const { code, stdout, stderr, state } = await rehearse(argv, { extra });
    expect(code).toBe(0);
    expect(keptIn(state)).toEqual([{ path: expect.stringContaining('AiSec-WidgetKey'), mode: 0o600, value: record }]);
    expect(stderr).toContain(`saved in ${keptIn(state)[0]?.path}`);
    expect(stdout + stderr).not.toContain(SECRET);
  });

  scenario('secret-kept', 'in a pipe is saved in a file too', async () => {
    const { stderr, state } = await rehearse(['--output', 'table'], { extra, input: `${LINE}\n${LINE}\n` });
    expect(keptIn(state).map(({ value }) => value)).toEqual([record, record]);
    for (const { path: file } of keptIn(state)) expect(stderr).toContain(file);
  });

  scenario('secret-kept', 'with --files-dir is saved in that directory', async () => {
    const folder = temporaryFolder('kept');
    await rehearse([LINE, '--output', 'table', '--files-dir', folder], { extra });
    expect(JSON.parse(readFileSync(join(folder, 'AiSec-WidgetKey.json'), 'utf8'))).toEqual(record);
  });

  scenario.each([
    { format: 'json' },
    { format: 'context' },
    { format: 'jsonl' },
    { format: 'entry' },
    { format: 'csv' },
    { format: 'yaml' },
  ])('secret-kept', 'is in the output of $format, and is not saved in a file', async ({ format }) => {
    const { stdout, stderr, state } = await rehearse([LINE, '--output', format], { extra });
    expect(stdout).toContain(SECRET);
    expect(stderr).not.toContain('saved');
    expectNone(keptIn(state), 'files');
  });

  scenario('secret-kept', 'with --reveal is in the table, and is not saved in a file', async () => {
    const { stdout, state } = await rehearse([LINE, '--output', 'table', '--reveal'], { extra });
    expect(stdout).toMatch(new RegExp(`Key +${SECRET}`));
    expectNone(keptIn(state), 'files');
  });

  scenario('secret-kept', '--reveal is refused for a command without a one-time secret', async () => {
    const { code, stderr, requests } = await rehearse([MAKE, '--output', 'table', '--reveal'], { extra });
    expect(code).toBe(2);
    expect(stderr).toContain('returns no one-time secret');
    expectNone(requests, 'requests');
  });
});

describe('a change whose output fails', () => {
  /** Runs with an output whose writes fail. */
  async function failing(argv: readonly string[], code: string, given: Given = {}) {
    const running = start(['--simulate', ...argv], { extra, ...given });
    running.stdout._transform = (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code }));
    return { code: await running.code, stderr: running.errors(), state: running.state, requests: running.requests };
  }

  scenario.each([
    { what: 'a full device', code: 'ENOSPC', exit: 8 },
    { what: 'a reader that has gone', code: 'EPIPE', exit: 0 },
  ])('output-fails', 'by $what saves its result, and says that the change was made', async ({ code, exit }) => {
    const ended = await failing([MAKE, '--output', 'json'], code);
    expect(ended.code).toBe(exit);
    const [kept, ...others] = keptIn(ended.state);
    expect(kept).toMatchObject({ mode: 0o600, value: { outputs: { 'AiSec.WidgetMade': { name: 'cog', size: 4 } } } });
    expect(ended.stderr).toContain(`aisec-widget-make was carried out; its result is in ${kept?.path}.`);
    expectNone(others, 'files');
  });

  scenario('output-fails', 'a one-time secret in json is saved too', async () => {
    const { state } = await failing([LINE, '--output', 'json'], 'EPIPE');
    expect(JSON.stringify(keptIn(state).map(({ value }) => value))).toContain(SECRET);
  });

  scenario('output-fails', 'a read saves nothing', async () => {
    const { state, stderr } = await failing(['!aisec-widget-list', '--output', 'json'], 'EPIPE');
    expectNone(keptIn(state), 'files');
    expect(stderr).not.toContain('carried out');
  });

  scenario.each([{ format: 'text' }, { format: 'json' }])(
    'output-fails',
    'by jq saves its result, and the $format error says where',
    async ({ format }) => {
      const asked = format === 'json' ? ['--output', 'json'] : [];
      const { code, stderr, state } = await rehearse([MAKE, ...asked, '--jq', '.command | tonumber'], { extra });
      expect(code).toBe(10);
      const [kept] = keptIn(state);
      expect(kept?.value).toMatchObject({ outputs: { 'AiSec.WidgetMade': { name: 'cog' } } });
      expect(stderr).toContain(`aisec-widget-make was carried out; its result is in ${kept?.path}.`);
      expect(stderr).toContain('jq: ');
    },
  );

  scenario.each([
    { what: 'its whole input', jq: 'error' },
    { what: 'the secret', jq: 'error(.outputs["AiSec.WidgetKey"].key)' },
  ])('output-fails', 'by jq that raises $what shows no secret', async ({ jq }) => {
    const { code, stdout, stderr } = await rehearse([LINE, '--output', 'json', '--jq', jq], { extra });
    expect(code).toBe(10);
    expect(stdout + stderr).not.toContain(SECRET);
  });

  scenario('output-fails', 'a dry run saves nothing', async () => {
    const { state } = await failing([MAKE, '--output', 'json', '--dry-run'], 'EPIPE');
    expectNone(keptIn(state), 'files');
  });
});
