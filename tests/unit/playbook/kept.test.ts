/** One-time secrets that the tasks of a playbook receive: its context ends with the playbook. */
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../lib/core/json.ts';
import { extra, keptIn, SECRET } from '../../hosts/kept-files.ts';
import { type Given, rehearse, start as startProgram } from '../../hosts/terminal-support.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { runs, sample, start, title } from './rehearsal.ts';

const issue = (values: JsonObject = {}, more: JsonObject = {}) =>
  runs('aisec-widget-key', { name: 'cog', key: SECRET, ...values }, ['2'], more);
const KEY = sample({ 0: start('1'), 1: issue(), 2: title() }, { outputs: [{ contextPath: 'AiSec.WidgetKey.name' }] });
const NOT_WRITABLE = '/dev/null/none';

afterEach(() => void jest.restoreAllMocks());

/** Writes a playbook. @returns the words that run it */
function lineOf(document: JsonObject, more: readonly string[]): string[] {
  const file = join(temporaryFolder('playbook'), 'sample.yml');
  writeFileSync(file, JSON.stringify(document));
  return ['playbook', file, ...more];
}

const rehearsed = (document: JsonObject, more: readonly string[] = [], given: () => Given = () => ({})) => {
  const line = lineOf(document, more);
  return rehearse(line, { extra, ...given() });
};

/** No directory takes a file: neither the state folder nor the temporary one. */
function nowhere(): Given {
  const environment = { XDG_STATE_HOME: NOT_WRITABLE };
  jest.spyOn(os, 'tmpdir').mockReturnValue(NOT_WRITABLE);
  return { environment };
}

const files = (state: string) => keptIn(state).map(({ mode, value }) => ({ mode, value }));
const kept = { mode: 0o600, value: { name: 'cog', key: SECRET } };

scenario.each([
  { what: 'a table', more: ['--output', 'table'] },
  { what: 'a quiet table', more: ['--output', 'table', '--quiet'] },
  { what: 'a trace', more: ['--output', 'table', '--trace'] },
  { what: 'json', more: ['--output', 'json'] },
  { what: 'only its declared outputs', more: ['--output', 'context'] },
])('secret-kept', 'of a playbook with $what is saved in a file whose path is printed', async ({ more }) => {
  const { code, stdout, stderr, state } = await rehearsed(KEY, more);
  expect({ code, files: files(state) }).toEqual({ code: 0, files: [kept] });
  expect(stderr).toContain(`saved in ${keptIn(state)[0]?.path}`);
  expect(stdout + stderr).not.toContain(SECRET);
});

scenario('secret-kept', 'of a playbook stays in its file even if the output has it', async () => {
  const held = sample({ 0: start('1'), 1: issue(), 2: title() }, { outputs: [{ contextPath: 'AiSec.WidgetKey.key' }] });
  const { stdout, stderr, state } = await rehearsed(held, ['--output', 'json']);
  expect(stdout).toContain(SECRET);
  expect(files(state)).toEqual([kept]);
  expect(stderr).toContain('saved in');
  const table = await rehearsed(held, ['--output', 'table']);
  expect(table.stdout).toContain('Secrets are hidden here; a note says which file has a new one.');
});

scenario('secret-kept', 'of each run of a task in a playbook is in a separate file', async () => {
  const from = (accessor: string) => ({ complex: { root: 'AiSec.Widget', accessor } });
  const tasks = {
    0: start('3'),
    3: runs('aisec-widget-list', {}, ['1']),
    1: issue({ name: from('name'), key: from('note') }),
    2: title(),
  };
  const { code, stderr, state } = await rehearsed(sample(tasks));
  expect(code).toBe(0);
  expect(keptIn(state).map(({ value }) => value)).toEqual(
    expect.arrayContaining([
      { name: 'cog', key: 'turns' },
      { name: 'nut', key: 'turns too' },
    ]),
  );
  expect(keptIn(state)).toHaveLength(2);
  for (const { path } of keptIn(state)) expect(stderr).toContain(path);
});

scenario.each([
  {
    what: 'a later task fails',
    tasks: { 1: issue(), 2: runs('aisec-widget-get', { name: 'gone' }) },
    exit: 5,
  },
  { what: 'the task writes no outputs', tasks: { 1: issue({ 'ignore-outputs': 'true' }), 2: title() }, exit: 0 },
])('secret-kept', 'of a playbook is saved despite: $what', async ({ tasks, exit }) => {
  const { code, state } = await rehearsed(sample({ 0: start('1'), ...tasks }), ['--output', 'json']);
  expect({ code, files: files(state) }).toEqual({ code: exit, files: [kept] });
});

scenario('secret-kept', 'of a playbook is saved if the reader of the output has closed', async () => {
  const running = startProgram(['--simulate', ...lineOf(KEY, ['--output', 'json'])], { extra });
  running.stdout._transform = (_chunk, _encoding, done) => done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' }));
  await running.code;
  expect(files(running.state)).toEqual([kept]);
});

scenario('secret-kept', 'of a playbook with --files-dir is saved in that directory', async () => {
  const folder = temporaryFolder('kept');
  await rehearsed(KEY, ['--files-dir', folder]);
  expect(JSON.parse(readFileSync(join(folder, 'AiSec-WidgetKey.json'), 'utf8'))).toEqual(kept.value);
});

scenario('secret-kept', 'a dry run of a playbook writes no file', async () => {
  const { code, state } = await rehearsed(KEY, ['--dry-run']);
  expect(code).toBe(0);
  expectNone(keptIn(state), 'files');
});

scenario(
  'secret-kept',
  'a playbook that receives a one-time secret is refused before its first request if no folder is writable',
  async () => {
    const tasks = { 0: start('3'), 3: runs('aisec-widget-list', {}, ['1']), 1: issue(), 2: title() };
    const { code, stderr, requests } = await rehearsed(sample(tasks), ['--output', 'table'], nowhere);
    expect(code).toBe(3);
    expect(stderr).toContain('A secret that this playbook receives once cannot be saved: no directory is writable.');
    expect(stderr).toContain('--files-dir DIR');
    expectNone(requests, 'requests');
  },
);

scenario.each([
  { what: 'a playbook that receives none', tasks: { 1: runs('aisec-widget-list', {}, ['2']), 2: title() }, more: [] },
  { what: 'a dry run', tasks: { 1: issue(), 2: title() }, more: ['--dry-run'] },
])('secret-kept', '$what needs no writable folder', async ({ tasks, more }) => {
  const { code } = await rehearsed(sample({ 0: start('1'), ...tasks }), more, nowhere);
  expect(code).toBe(0);
});
