/** The trace of a rehearsal: each task's input, comparisons and output, without any secret. */

import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../lib/core/json.ts';
import { secretPaths } from '../../../lib/playbook/commands.ts';
import { readPlaybook } from '../../../lib/playbook/read-playbook.ts';
import type { Step } from '../../../lib/playbook/rehearse.ts';
import { maskAt, stepJson, tracer } from '../../../lib/playbook/trace.ts';
import type { Command, Registry } from '../../../lib/runtime/engine/command.ts';
import { MASK } from '../../../lib/runtime/output/mask.ts';
import { extra, type Given, keptIn, rehearse, SECRET, start as startProgram } from '../../hosts/terminal-support.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { compares, decides, runs, sample, start, title } from './rehearsal.ts';

/** A command with a secret argument, and secrets in its output. */
const MAKE = {
  args: { name: {}, key: { secret: true } },
  output: { record: { path: 'AiSec.Thing', fields: { id: {}, token: { secret: true }, 'own.pin': { secret: true } } } },
  job: { output: { record: { path: 'AiSec.Job', fields: { code: { secret: true } } } } },
} as unknown as Command;
const PLAIN = { args: { name: {} } } as unknown as Command;
const registry: Registry = { 'aisec-make': async () => MAKE, 'aisec-plain': async () => PLAIN };

const input = (key: string) => ({ simple: `\${inputs.${key}}` });
const DOCUMENT = sample({
  0: start('1'),
  1: runs('aisec-make', { name: input('name'), key: { simple: 'a ${inputs.key} ${inputs.more}' } }, ['2']),
  2: runs('aisec-plain', { name: { complex: { root: 'inputs.name' } } }, ['3']),
  3: decides(
    {
      high: [[compares('isEqualString', 'AiSec.Thing.id', 'value-of-name'), compares('isExists', 'AiSec.Thing')]],
      low: [
        [
          { operator: 'isExists', left: { value: { complex: { root: 'AiSec.Thing', accessor: 'id' } } } },
          { operator: 'isExists', left: { value: { simple: 'x ${AiSec.Thing.id}' } } },
          { operator: 'isEqualString', left: { value: { simple: 'plain' } }, right: { value: { simple: 'plain' } } },
          { operator: 'isExists', left: {} },
        ],
      ],
    },
    { high: ['4'], low: ['4'] },
  ),
  4: title(),
});
const INPUTS = {
  name: 'value-of-name',
  key: 'value-of-key',
  more: ['value-of-more', { deep: 'value-of-deep' }, 7, ''],
  other: 'value-of-other',
};

const result = (writes: readonly { path: string; value: unknown }[]) =>
  ({ writes }) as unknown as Step['results'][number];

async function traceOf(id: string, step: Partial<Step>, known: readonly string[] = [], inputs: JsonObject = INPUTS) {
  const playbook = await readPlaybook(DOCUMENT, registry);
  const trace = await tracer(playbook, inputs, registry, await secretPaths(playbook, registry), () => known);
  const task = playbook.tasks.get(id);
  if (task === undefined) throw new Error(`There is no task ${id}.`);
  const before: Step = { task, results: [], inputs: [], compared: [], branch: undefined };
  return { trace, found: trace({ ...before, ...step }), before };
}

describe('the trace of a task', () => {
  test('masks a secret argument, and its value wherever it reappears', async () => {
    const pairs = [
      { name: 'name', value: 'by value-of-key, value-of-more, value-of-deep, value-of-other' },
      { name: 'key', value: ['own-key'] },
    ];
    const { found, trace, before } = await traceOf('1', { inputs: [pairs, []] });
    expect(found.inputs).toEqual([{ name: 'by ***, ***, ***, value-of-other', key: MASK }, {}]);
    const later = trace({ ...before, inputs: [[{ name: 'name', value: 'own-key and value-of-name' }]] });
    expect(later.inputs).toEqual([{ name: '*** and value-of-name' }]);
  });

  test('masks secret fields of its output, and their values elsewhere', async () => {
    const value = [
      { id: 'i1', token: 'token-one', own: { pin: 'pin-one', other: 'of token-one' } },
      { id: 'pin-one', token: null, own: {} },
    ];
    const writes = [
      { path: 'AiSec.Thing', value },
      { path: 'AiSec.Job', value: { code: 'code-one', id: 'at code-one' } },
      { path: 'AiSec.None', value: null },
    ];
    const { found } = await traceOf('1', { results: [result(writes)] }, ['at']);
    expect(found.wrote).toEqual({
      'AiSec.Thing': [
        { id: 'i1', token: '***', own: { pin: MASK, other: 'of ***' } },
        { id: '***', token: null, own: {} },
      ],
      'AiSec.Job': { code: MASK, id: 'at ***' },
      'AiSec.None': null,
    });
  });

  test('hides the secrets of the settings', async () => {
    const { found } = await traceOf('2', { inputs: [[{ name: 'name', value: 'is client-secret' }]] }, [
      'client-secret',
    ]);
    expect(found.inputs).toEqual([{ name: 'is ***' }]);
  });

  test('shows the compared values without secrets', async () => {
    const playbook = await readPlaybook(DOCUMENT, registry);
    const task = playbook.tasks.get('3');
    const branches = task?.kind === 'condition' ? task.branches : [];
    const compared = branches.flatMap(({ label, test }) =>
      test.flat().map((comparison) => ({
        comparison,
        label,
        left: 'is value-of-key',
        right: ['value-of-key'],
        holds: label === 'low',
      })),
    );
    const { found } = await traceOf('3', { compared });
    const shown = (branch: string, operator: string, more: object = {}) => ({
      ...{ branch, left: 'is ***', operator, holds: branch === 'low' },
      ...more,
    });
    expect(found.compared).toEqual([
      shown('high', 'isEqualString', { of: 'AiSec.Thing.id', right: ['***'] }),
      shown('high', 'isExists', { of: 'AiSec.Thing' }),
      shown('low', 'isExists', { of: 'AiSec.Thing.id' }),
      shown('low', 'isExists', { of: 'x ${AiSec.Thing.id}' }),
      shown('low', 'isEqualString', { right: ['***'] }),
      shown('low', 'isExists'),
    ]);
  });
});

describe('secret paths', () => {
  const paths = new Set(['A.secret', 'A.in.secret', 'B']);
  test.each([
    ['A', { secret: 's', plain: 'p' }, { secret: MASK, plain: 'p' }],
    ['A', [{ secret: 's' }, { in: [{ secret: 1 }, 'x'] }], [{ secret: MASK }, { in: [{ secret: MASK }, 'x'] }]],
    ['A', { secret: null, in: undefined }, { secret: null, in: undefined }],
    ['B', { any: 1 }, MASK],
    ['B', undefined, undefined],
    ['C', { secret: 's' }, { secret: 's' }],
    ['C', 'text', 'text'],
  ])('of a value at %s are masked: %j', (path, value, masked) => {
    expect(maskAt(value, path, paths)).toEqual(masked);
  });
});

describe('a task as JSON', () => {
  const error = { code: 'usage', message: 'Wrong.' } as never;
  test.each([
    { step: { branch: '#none#' }, outcome: { outcome: 'done' } },
    { step: { branch: 'high' }, outcome: { outcome: 'done', branch: 'high' } },
    { step: { branch: undefined }, outcome: { outcome: 'done' } },
    { step: { branch: undefined, error }, outcome: { outcome: 'failed', error: { code: 'usage', message: 'Wrong.' } } },
    {
      step: { branch: '#error#', error },
      outcome: { outcome: 'handled', branch: '#error#', error: { code: 'usage', message: 'Wrong.' } },
    },
  ])('says $outcome', async ({ step, outcome }) => {
    const { before } = await traceOf('4', {});
    expect(stepJson({ ...before, ...step })).toEqual({ id: '4', name: 'T4', kind: 'title', ...outcome });
  });

  test('counts the runs and records of a command', async () => {
    const { before, found } = await traceOf('1', {});
    const results = [
      result([
        { path: 'A', value: [1, 2] },
        { path: 'B', value: {} },
      ]),
      result([{ path: 'A', value: 1 }]),
      result([{ path: 'constructor', value: 1 }]),
    ];
    expect(stepJson({ ...before, results, branch: '#none#' }, found)).toEqual({
      ...{
        id: '1',
        name: 'T1',
        kind: 'command',
        command: 'aisec-make',
        times: 3,
        records: { A: 3, B: 1, constructor: 1 },
      },
      ...{ outcome: 'done', line: undefined, trace: { inputs: [], wrote: {}, compared: [] } },
    });
  });
});

const issue = (values: JsonObject = {}, more: JsonObject = {}) =>
  runs('aisec-widget-key', { name: 'cog', key: SECRET, ...values }, ['2'], more);
const KEY = sample({ 0: start('1'), 1: issue(), 2: title() }, { outputs: [{ contextPath: 'AiSec.WidgetKey.name' }] });
const NOT_WRITABLE = '/dev/null/none';

afterEach(() => void jest.restoreAllMocks());

/** Writes a playbook. @returns the arguments that run it */
function lineOf(document: JsonObject, more: readonly string[]): string[] {
  const file = join(temporaryFolder('playbook'), 'sample.yml');
  writeFileSync(file, JSON.stringify(document));
  return ['playbook', file, ...more];
}

const rehearsed = (document: JsonObject, more: readonly string[] = [], given: () => Given = () => ({})) => {
  const line = lineOf(document, more);
  return rehearse(line, { extra, ...given() });
};

/** No directory accepts a file: neither the state folder nor the temporary folder. */
function nowhere(): Given {
  const environment = { XDG_STATE_HOME: NOT_WRITABLE };
  jest.spyOn(os, 'tmpdir').mockReturnValue(NOT_WRITABLE);
  return { environment };
}

const files = (state: string) => keptIn(state).map(({ mode, value }) => ({ mode, value }));
const kept = { mode: 0o600, value: { name: 'cog', key: SECRET } };

scenario.each([
  { what: 'a table', more: ['--output', 'table'] },
  { what: 'a trace', more: ['--output', 'table', '--trace'] },
  { what: 'json', more: ['--output', 'json'] },
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
  {
    what: 'a playbook that receives no one-time secret',
    tasks: { 1: runs('aisec-widget-list', {}, ['2']), 2: title() },
    more: [],
  },
  { what: 'a dry run', tasks: { 1: issue(), 2: title() }, more: ['--dry-run'] },
])('secret-kept', '$what needs no writable folder', async ({ tasks, more }) => {
  const { code } = await rehearsed(sample({ 0: start('1'), ...tasks }), more, nowhere);
  expect(code).toBe(0);
});
