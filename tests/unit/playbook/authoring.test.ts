import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { registry } from '../../../commands/index.ts';
import { ValidationError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import { readPlaybook, readPlaybookDocument } from '../../../lib/playbook/read-playbook.ts';
import { playbookTemplate } from '../../../lib/playbook/template.ts';
import { run } from '../../hosts/terminal-support.ts';
import { failing } from '../../support/exchange.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { playbookFaults } from './playbook-schema.ts';
import { compares, decides, rehearse, runs, sample, start, title } from './rehearsal.ts';

const folder = temporaryFolder('authoring');
let files = 0;
const fileOf = (text: string) => {
  files += 1;
  const path = join(folder, `p${files}.yml`);
  writeFileSync(path, text);
  return path;
};
const make = (values: JsonObject, next: readonly string[] = []) => runs('aisec-widget-make', values, next);
const play = (...argv: string[]) => run(['--simulate', 'playbook', ...argv]);
const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split('\n').length;

describe('lines', () => {
  test.each([
    { what: 'a command', task: runs('aisec-nothing', {}), part: 'script:', message: /no command/ },
    { what: 'an argument', task: make({ name: 'a', sise: 'b' }), part: 'sise:', message: /no argument "sise"/ },
    { what: 'a missing argument', task: make({ size: 'b' }), part: 'scriptarguments:', message: /argument name/ },
    {
      what: 'an operator',
      task: decides({ yes: [[compares('isTrue', 'a')], [compares('isTru', 'a')]] }, { yes: ['2'] }),
      part: '- operator: isTru\n',
      message: /"isTru"/,
    },
    { what: 'a type of task', task: { type: 'collection' }, part: 'type: collection', message: /type "collection"/ },
    { what: 'a branch', task: { ...title(), nexttasks: { other: ['2'] } }, part: 'other:', message: /branch "other"/ },
  ])('a problem of $what names the line of that part', async ({ task, part, message }) => {
    const text = stringify(sample({ 0: start('1', '2'), 1: task, 2: title() }));
    expect(text).toContain(part);
    const { value, source } = await readPlaybookDocument(text, 'a/p.yml');
    const few = {
      'aisec-widget-make': (await import('../../hosts/terminal-support.ts')).registry['aisec-widget-make'],
    };
    const error = await failing(readPlaybook(value, few as never, source));
    const [problem] = error instanceof ValidationError ? error.problems : [];
    expect(problem?.message).toMatch(message);
    expect(problem?.message).toMatch(new RegExp(`^a/p\\.yml:${lineOf(text, part)}: Task 1 `));
    expect(problem?.line).toBe(lineOf(text, part));
  });

  test('problems are in the order of the file, and a problem in an alias has the line of its anchor', async () => {
    const text = [
      'starttaskid: 0',
      'tasks:',
      '  0: {type: start, nexttasks: {"#none#": ["1", "2"]}}',
      '  1: &one',
      '    type: regular',
      "    task: {script: '|||aisec-nothing'}",
      '  2: *one',
    ].join('\r\n');
    const { value, source } = await readPlaybookDocument(text, 'p.yml');
    const error = await failing(readPlaybook(value, registry, source));
    expect(error instanceof ValidationError && error.problems.map(({ line }) => line)).toEqual([6, 6]);
  });

  test('every syntax error is reported with its line', async () => {
    const error = await failing(readPlaybookDocument('a: 1\na: 2\nb: [\n', 'p.yml'));
    const problems = error instanceof ValidationError ? error.problems : [];
    expect(problems.map(({ line }) => line)).toEqual([2, 4]);
    for (const { message, line } of problems) expect(message).toMatch(new RegExp(`^p\\.yml:${line}: not valid YAML`));
  });

  test('a missing input names the line of its declaration', async () => {
    const document = { inputs: [{ key: 'name', value: {}, required: true, description: 'A name.' }] };
    const text = stringify(sample({ 0: start() }, document));
    const path = fileOf(text);
    const { code, stderr } = await play(path, '--output', 'table');
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${path}:${lineOf(text, 'key: name')}: The input name is required.`);
  });
});

describe('--check', () => {
  const good = fileOf(stringify(sample({ 0: start('1'), 1: make({ name: 'a' }) })));
  const bad = fileOf(stringify(sample({ 0: start('1', '7'), 1: make({ nam: 'a' }) })));

  test('accepts a valid playbook with exit code 0, and runs nothing', async () => {
    const { code, stdout, requests } = await play(good, '--check', '--output', 'table');
    expect([code, stdout, requests]).toEqual([0, `${good}: Sample can be run; 2 tasks.\n`, []]);
    expect(JSON.parse((await play(good, '--check')).stdout)).toEqual({
      file: good,
      valid: true,
      tasks: 2,
      problems: [],
    });
  });

  test('needs no settings', async () => {
    expect((await run(['playbook', good, '--check'])).code).toBe(0);
  });

  test('reports all problems at once with exit code 2', async () => {
    const { code, stderr, requests } = await play(bad, '--check', '--output', 'table');
    expect([code, requests]).toEqual([2, []]);
    const errors = stderr.split('\n').filter((line) => line.startsWith('error: '));
    expect(errors.map((line) => line.replace(`error: ${bad}:`, '').replace(/^\d+: /, ''))).toEqual([
      'Task 0 (T0): it leads to 7, which is not there.',
      'Task 1 (T1): the required argument name of aisec-widget-make is missing.',
      'Task 1 (T1): aisec-widget-make has no argument "nam".',
    ]);
    const { problems } = JSON.parse((await play(bad, '--check')).stdout) as { problems: { line: number }[] };
    expect(problems.map(({ line }) => typeof line)).toEqual(['number', 'number', 'number']);
  });

  test('checks given inputs', async () => {
    expect((await play(good, '--check', '--input', 'colour=red')).code).toBe(2);
  });

  test('accepts a single file', async () => {
    expect((await play(good, bad)).stderr).toContain('takes one file');
  });
});

describe('--trace', () => {
  const path = fileOf(
    stringify(
      sample(
        {
          0: start('1'),
          1: make({ name: '${inputs.name}', auth_config: '${inputs.key}' }, ['2']),
          2: decides(
            {
              key: [[compares('isEqualString', 'inputs.key', 'other')]],
              four: [[compares('isEqualNumber', 'AiSec.WidgetMade.size', '4')]],
              never: [[compares('isTrue', 'inputs.name')]],
            },
            { key: ['3'], four: ['3'], never: ['3'], '#default#': ['3'] },
          ),
          3: title(),
        },
        { inputs: ['name', 'key'].map((key) => ({ key, value: {}, required: true, description: 'Text.' })) },
      ),
    ),
  );
  const given = ['--trace', '--input', 'name=cog', '--input', 'key=canary-key-123'];

  test('shows resolved inputs, written outputs, and the reason for each branch', async () => {
    const { code, stdout } = await play(path, ...given, '--output', 'table');
    expect(code).toBe(0);
    expect(stdout).toContain('in   name = "cog"');
    expect(stdout).toContain('out  AiSec.WidgetMade = {"name":"cog","size":4}');
    expect(stdout).toContain('if   four: AiSec.WidgetMade.size (4) isEqualNumber "4": holds');
    expect(stdout).not.toContain('never');
  });

  test.each(['table', 'json'])('hides a secret wherever it appears, in %s', async (format) => {
    const { stdout, stderr, requests } = await play(path, ...given, '--output', format);
    expect(JSON.stringify(requests)).toContain('canary-key-123');
    expect(stdout + stderr).not.toContain('canary-key-123');
    expect(stdout).toContain('(hidden)');
  });

  test('is part of the JSON object only on request', async () => {
    const { tasks } = JSON.parse((await play(path, ...given)).stdout) as { tasks: JsonObject[] };
    expect(tasks[2]).toMatchObject({
      trace: {
        compared: [
          { branch: 'key', holds: false },
          { branch: 'four', holds: true },
        ],
      },
    });
    expect((await play(path, ...given.slice(1))).stdout).not.toContain('"trace"');
  });
});

describe('playbook new', () => {
  const create = (name: string, directory: string) => run(['playbook', 'new', name, '--files-dir', directory]);

  test('writes a playbook that is valid, and never overwrites one', async () => {
    const directory = temporaryFolder('new');
    const file = join(directory, 'admit-prompt.yml');
    expect((await create('admit-prompt', directory)).code).toBe(0);
    const text = readFileSync(file, 'utf8');
    const { code, stderr } = await create('admit-prompt.yml', directory);
    expect([code, readFileSync(file, 'utf8')]).toEqual([5, text]);
    expect(stderr).toContain('is not overwritten');
  });

  test.each(['../up', '', 'a: b', '-x y', 'a'.repeat(61)])('%j is not a name', async (name) => {
    expect((await create(name, temporaryFolder('new'))).code).toBe(2);
  });

  test('writes a playbook that can be uploaded, passes the check, and runs on the simulated service', async () => {
    const text = playbookTemplate('AiSec - New', 'new.yml', () => '0d0c3c1f-5f0e-4c37-9d0e-3a1c1b2d4e5f');
    expectNone(playbookFaults(parse(text, { version: '1.1' })), 'faults');
    expect(text.match(/^ *# /gm)?.length).toBeGreaterThan(5);
    const { value, source } = await readPlaybookDocument(text, 'new.yml');
    await readPlaybook(value, registry, source);
    expect((await rehearse(value)).ids).toEqual(['0', '1', '2', '4']);
    const allowed = await rehearse(value, { prompt: 'Hello' });
    expect([allowed.ids, allowed.failed]).toEqual([['0', '1', '2', '3'], undefined]);
    const failed = await rehearse(value, {}, { fails: ({ url }) => url.includes('/scan/') });
    expect(failed.ids).toEqual(['0', '1', '4']);
  });
});
