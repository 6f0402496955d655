import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { registry } from '../../../commands/index.ts';
import { CancelledError, ValidationError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import { readPlaybook, readPlaybookDocument } from '../../../lib/playbook/read-playbook.ts';
import { playbookTemplate } from '../../../lib/playbook/template.ts';
import { run } from '../../hosts/terminal-support.ts';
import { failing } from '../../support/exchange.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { stoppedWhen } from '../../support/stop.ts';
import { run as runProgram } from '../report/support.ts';
import { playbookFaults } from './playbook-schema.ts';
import { compares, decides, rehearse, runs, sample, start, title } from './rehearsal.ts';

const SCAN = 'aisec-runtime-scan';
const scan = (prompt: unknown, next: readonly string[] = [], more: JsonObject = {}) =>
  runs(SCAN, { profile_name: 'prod', prompt }, next, more);
const fromContext = (root: string, more: JsonObject = {}) => ({ complex: { root, ...more } });
/** The prompts that reached the scanner. */
const prompts = (requests: readonly { url: string; body?: string }[]) =>
  requests.filter(({ url }) => url.includes('/scan/')).map(({ body }) => JSON.parse(body ?? '').contents[0].prompt);

describe('the way through a playbook', () => {
  test.each([
    { what: 'stop', more: {}, ids: ['0', '1'], code: 8 },
    { what: 'go on', more: { continueonerror: true }, ids: ['0', '1', '2', '3'], code: undefined },
    {
      what: 'take the error path',
      more: {
        continueonerror: true,
        continueonerrortype: 'errorPath',
        nexttasks: { '#none#': ['2'], '#error#': ['3'] },
      },
      ids: ['0', '1', '3'],
      code: undefined,
    },
  ])('after an error it can $what', async ({ more, ids, code }) => {
    const tasks = { 0: start('1'), 1: scan('hello', ['2'], more), 2: title('3'), 3: title() };
    const ended = await rehearse(sample(tasks), {}, { fails: ({ url }) => url.includes('/scan/') });
    expect([ended.ids, ended.failed?.error?.exitCode]).toEqual([ids, code]);
    expect(ended.steps[1]?.error?.code).toBe('service');
  });

  test('missing settings are not handled by an error branch', async () => {
    const tasks = { 0: start('1'), 1: scan('hello', ['2'], { continueonerror: true }), 2: title() };
    const { failed } = await rehearse(sample(tasks), {}, { runtime: { settings: {} as never } });
    expect(failed?.error?.exitCode).toBe(3);
  });

  test('a stop ends the playbook, even with error handling', async () => {
    const tasks = { 0: start('1'), 1: scan('hello', ['2'], { continueonerror: true }), 2: title() };
    const error = await failing(rehearse(sample(tasks), {}, { runtime: { stop: stoppedWhen(() => true) } }));
    expect(error).toBeInstanceOf(CancelledError);
  });

  test('a dry run ends at the first change', async () => {
    const remove = runs(
      'aisec-runtime-api-keys-delete',
      { api_key_name: 'claims-assistant-key', updated_by: 'ana@example.com' },
      ['2'],
    );
    const ended = await rehearse(sample({ 0: start('1'), 1: remove, 2: title() }), {}, { runtime: { dryRun: true } });
    expect([ended.ids, ended.planned, ended.failed]).toEqual([['0', '1'], true, undefined]);
  });

  test('a condition without a true branch or a default ends the playbook', async () => {
    const yes = [[compares('isExists', 'inputs.nothing')]];
    const { failed } = await rehearse(sample({ 0: start('1'), 1: decides({ yes }, { yes: ['2'] }), 2: title() }));
    expect([failed?.task.id, failed?.error?.exitCode]).toEqual(['1', 5]);
  });
});

describe('a list for a single-value argument', () => {
  const names = (...items: readonly string[]) => ({ context: { Names: items.map((name) => ({ name })) } });
  const each = scan(fromContext('Names', { accessor: 'name' }));

  test('runs the task once for each item', async () => {
    const { room, steps } = await rehearse(sample({ 0: start('1'), 1: each }), {}, names('a', 'b', 'c'));
    expect(prompts(room.requests)).toEqual(['a', 'b', 'c']);
    expect(steps.at(-1)?.results).toHaveLength(3);
    expect(room.context).toMatchObject({ AiSec: { RuntimeScan: [{ prompt: 'a' }, { prompt: 'b' }, { prompt: 'c' }] } });
  });

  test('runs the task once for a single item, and iterates several lists together', async () => {
    const task = scan(fromContext('Names', { accessor: 'name' }), [], {});
    const both = runs(SCAN, {
      profile_name: 'prod',
      prompt: fromContext('Names', { accessor: 'name' }),
      tr_id: fromContext('Ids'),
    });
    const one = await rehearse(sample({ 0: start('1'), 1: task }), {}, names('a'));
    expect(prompts(one.room.requests)).toEqual(['a']);
    const two = await rehearse(
      sample({ 0: start('1'), 1: both }),
      {},
      { context: { ...names('a', 'b').context, Ids: ['x', 'y'] } },
    );
    expect(two.room.context).toMatchObject({
      AiSec: {
        RuntimeScan: [
          { prompt: 'a', tr_id: 'x' },
          { prompt: 'b', tr_id: 'y' },
        ],
      },
    });
  });

  test.each([
    ['a reference', { simple: '${Found}' }],
    ['a filtered value', fromContext('Found', { filters: [[compares('isNotEmpty', 'Found')]] })],
  ])('with one entry is its entry in conditions, arguments and texts: %s', async (_what, value) => {
    const set = { ...runs('x', { key: 'Kept', value }, ['2']), task: { scriptName: 'Set', iscommand: false } };
    const tasks = {
      0: start('1'),
      1: set,
      2: decides(
        {
          yes: [
            [compares('isEqualString', 'Kept', undefined, { right: { value: { simple: 'Found' }, iscontext: true } })],
          ],
        },
        { yes: ['3'], '#default#': ['4'] },
      ),
      3: scan('is ${Kept}'),
      4: title(),
    };
    const { room } = await rehearse(sample(tasks), {}, { context: { Found: ['f1'] } });
    expect(prompts(room.requests)).toEqual(['is f1']);
  });

  test('is passed on whole if the command accepts a list', async () => {
    const topic = runs('aisec-runtime-topics-create', {
      topic_name: 'a',
      description: 'b',
      examples: fromContext('Names', { accessor: 'name' }),
    });
    const { room, steps } = await rehearse(sample({ 0: start('1'), 1: topic }), {}, names('one', 'two, three'));
    expect(steps.at(-1)?.results).toHaveLength(1);
    expect(room.context).toMatchObject({ AiSec: { TopicCreate: { examples: ['one', 'two, three'] } } });
  });

  test.each([
    {
      what: 'lists of different lengths',
      task: runs(SCAN, { profile_name: fromContext('Ids'), prompt: fromContext('Names', { accessor: 'name' }) }),
      message: /different lengths: 3, 2/,
    },
    {
      what: 'more items than its loop allows',
      task: { ...each, loop: { forEach: true, max: 1 } },
      message: /2 times, and its loop ends after 1/,
    },
  ])('does not run for $what', async ({ task, message }) => {
    const circumstances = { context: { ...names('a', 'b').context, Ids: ['x', 'y', 'z'] } };
    const { failed, room } = await rehearse(sample({ 0: start('1'), 1: task }), {}, circumstances);
    expect(failed?.error?.message).toMatch(message);
    expectNone(room.requests, 'requests');
  });
});

describe('formatted values', () => {
  const records = [
    { name: 'a', size: 1, open: true, tags: [] },
    { name: 'B', size: 20, open: 'false', tags: ['x'] },
    { name: 'c', size: null, open: false },
  ];
  const chosen = async (value: unknown) => {
    const { room } = await rehearse(
      sample({ 0: start('1'), 1: scan(value) }, { inputs: [{ key: 'word', value: { simple: 'hello' } }] }),
      {},
      { context: { Things: records, One: { name: 'only' } } },
    );
    return prompts(room.requests);
  };
  const filtered = (...filters: unknown[]) => fromContext('Things', { accessor: 'name', filters });

  test.each<[string, unknown, string[]]>([
    ['a text with references', { simple: '${inputs.word}, ${One.name} ${Nothing.here}!' }, ['hello, only !']],
    ['one thing', fromContext('One', { accessor: 'name' }), ['only']],
    ['a member of each item', fromContext('Things', { accessor: 'name' }), ['a', 'B', 'c']],
    ['an equal text', filtered([compares('isEqualString', 'Things.name', 'b', { ignorecase: true })]), ['B']],
    ['more than', filtered([compares('greaterThan', 'Things.size', '3')]), ['B']],
    ['false, also as a text', filtered([compares('isFalse', 'Things.open')]), ['B', 'c']],
    ['a value that is not empty', filtered([compares('isNotEmpty', 'Things.tags')]), ['B']],
    [
      'one of two',
      filtered([compares('isEqualString', 'Things.name', 'a'), compares('isEqualString', 'Things.name', 'c')]),
      ['a', 'c'],
    ],
    ['both of two', filtered([compares('isExists', 'Things.size')], [compares('isTrue', 'Things.open')]), ['a']],
    ['a filter about something else', filtered([compares('isEqualString', 'One.name', 'only')]), ['a', 'B', 'c']],
    ['how many', fromContext('Things', { transformers: [{ operator: 'count' }] }), ['3']],
    [
      'small letters',
      fromContext('Things', { accessor: 'name', transformers: [{ operator: 'toLowerCase' }] }),
      ['a', 'b', 'c'],
    ],
    [
      'each once',
      fromContext('Things', { accessor: 'missing', transformers: [{ operator: 'uniq' }, { operator: 'count' }] }),
      ['0'],
    ],
  ])('%s', async (_what, value, expected) => {
    expect(await chosen(value)).toEqual(expected);
  });

  test('a reference inside a context value is not resolved', async () => {
    const context = { Hostile: '${One.name} force=true', One: { name: 'x' } };
    const tasks = { 0: start('1'), 1: scan(fromContext('Hostile'), ['2']), 2: scan({ simple: '<${Hostile}>' }) };
    const { room } = await rehearse(sample(tasks), {}, { context });
    expect(prompts(room.requests)).toEqual(['${One.name} force=true', '<${One.name} force=true>']);
  });
});

describe('unsupported parts are refused by name before anything runs', () => {
  test.each([
    ['a: [', /^p\.yml:1: not valid YAML at column 5/],
    ['- a', /not a playbook/],
    ['a: &a [*a]\nb: *c', /not (valid YAML|a playbook)/],
  ])('a text that is not a playbook: %j', async (text, message) => {
    expect((await failing(readPlaybookDocument(text, 'p.yml'))).message).toMatch(message);
  });

  test('labels and keys that YAML 1.1 reads as other types become strings again', async () => {
    const text =
      'name: on\nstarttaskid: 0\ntasks:\n  0:\n    type: condition\n    conditions: [{label: yes, condition: [[{operator: isEmpty, left: {value: {}}}]]}]\n    nexttasks: {yes: [1]}\n  1: {type: title}\n';
    const { ids } = await rehearse((await readPlaybookDocument(text, 'p.yml')).value);
    expect(ids).toEqual(['0', '1']);
  });
});

describe('aisec playbook', () => {
  const folder = temporaryFolder('playbook');
  const inputs = [
    { key: 'name', value: {}, required: true, description: 'Name of the widget.' },
    { key: 'colour', value: { simple: 'red' }, required: false, description: 'Its colour.' },
  ];
  const outputs = [
    { contextPath: 'AiSec.WidgetMade.name' },
    { contextPath: 'AiSec.WidgetMade.size' },
    { contextPath: 'AiSec.Nothing' },
  ];
  const make = runs('aisec-widget-make', { name: '${inputs.name}', colour: '${inputs.colour}' }, ['2']);
  const remove = (more: JsonObject = {}) =>
    runs('aisec-widget-delete', { name: '${AiSec.WidgetMade.name}' }, ['3'], more);
  const fileOf = (document: JsonObject) => {
    const path = join(folder, `${Math.random()}.yml`);
    writeFileSync(path, stringify(document));
    return path;
  };
  const made = fileOf(sample({ 0: start('1'), 1: make, 2: title() }, { inputs, outputs }));
  const stopped = fileOf(sample({ 0: start('1'), 1: make, 2: remove(), 3: title() }, { inputs, outputs }));
  const handled = fileOf(
    sample({ 0: start('1'), 1: make, 2: remove({ continueonerror: true }), 3: title() }, { inputs, outputs }),
  );
  const play = (path: string, ...more: string[]) => run(['--simulate', 'playbook', path, ...more]);
  const given = ['--input', 'name=cog wheel'];

  test('prints a line for each task, and the remaining tasks', async () => {
    const { code, stdout, requests } = await play(made, ...given, '--input=colour=green', '--output', 'table');
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'Sample',
        '0  T0',
        '1  T1  !aisec-widget-make: AiSec.WidgetMade (1)',
        '2  T2',
        '',
        `Outputs${' '.repeat(64)}SIMULATED`,
        'Field                  Value',
        '─────────────────────  ─────────',
        'AiSec.WidgetMade.name  cog wheel',
        'AiSec.WidgetMade.size  4',
        '',
      ].join('\n'),
    );
    expect(requests.at(-1)?.body).toContain('"colour":"green"');
  });

  test('prints the same as one JSON object', async () => {
    const { stdout } = await play(made, ...given);
    expect(JSON.parse(stdout)).toEqual({
      playbook: 'Sample',
      tasks: [
        { id: '0', name: 'T0', kind: 'start', outcome: 'done' },
        {
          id: '1',
          name: 'T1',
          kind: 'command',
          command: 'aisec-widget-make',
          times: 1,
          records: { 'AiSec.WidgetMade': 1 },
          outcome: 'done',
        },
        { id: '2', name: 'T2', kind: 'title', outcome: 'done' },
      ],
      outputs: { 'AiSec.WidgetMade.name': 'cog wheel', 'AiSec.WidgetMade.size': 4, 'AiSec.Nothing': null },
      simulated: true,
    });
    const { stdout: context, stderr } = await play(made, ...given, '--output', 'context');
    expect(JSON.parse(context)).toMatchObject({ 'AiSec.WidgetMade.size': 4 });
    expect(stderr).toContain('simulated service');
  });

  test('ends with the exit code of the task that failed, and names it', async () => {
    const { code, stdout, stderr } = await play(stopped, ...given, '--output', 'table');
    expect(code).toBe(5);
    expect(stdout).toMatch(/2 {2}T2 {2}failed: cog wheel is in use\.\n$/);
    expect(stderr).toMatch(/error: .*\.yml:\d+: Task 2 \(T2\): cog wheel is in use\./);
    const machine = await play(stopped, ...given, '--output', 'json');
    const { tasks }: { tasks: unknown[] } = JSON.parse(machine.stdout);
    expect(tasks.at(-1)).toMatchObject({
      id: '2',
      outcome: 'failed',
      error: { code: 'conflict' },
    });
    expect(JSON.parse(machine.stderr)).toMatchObject({ error: { code: 'conflict', command: 'aisec-widget-delete' } });
  });

  test('ends with 0 if the playbook handles the failure', async () => {
    const { code, stdout } = await play(handled, ...given, '--output', 'table');
    expect(code).toBe(0);
    expect(stdout).toContain('failed: cog wheel is in use. (the playbook continues)');
  });

  test.each([
    { argv: [made], message: /The input name is required/ },
    { argv: [made, ...given, '--input', 'color=red'], message: /no input "color"[\s\S]*Did you mean "colour"/ },
    { argv: [made, '--input', 'name'], message: /--input needs NAME=VALUE/ },
    { argv: [made, ...given, ...given], message: /name is given more than once/ },
    { argv: [], message: /needs a file/ },
    { argv: [join(folder, 'none.yml')], message: /none\.yml does not exist/ },
    {
      argv: [fileOf(sample({ 0: start('1'), 1: runs('aisec-widget-lst', {}) }))],
      message: /no command "aisec-widget-lst"[\s\S]*aisec-widget-list/,
    },
  ])('$message is exit code 2', async ({ argv, message }) => {
    const { code, stdout, stderr, requests } = await run(['--simulate', 'playbook', ...argv]);
    expect([code, stdout, requests]).toEqual([2, '', []]);
    expect(stderr).toMatch(message);
  });

  test('a context value is not read as the name of a secret variable', async () => {
    const again = runs('aisec-widget-make', { name: 'b', auth_config: '${AiSec.WidgetMade.name}' });
    const path = fileOf(sample({ 0: start('1'), 1: make, 2: again }, { inputs }));
    const argv = ['--simulate', 'playbook', path, '--input', 'name=@env:CANARY'];
    const { code, stdout, stderr, requests } = await run(argv, { environment: { CANARY: 'canary-value' } });
    expect(code).toBe(2);
    expect(JSON.stringify([stdout, stderr, requests])).not.toContain('canary-value');
  });
});

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

describe('lines', () => {
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

test('a bar below the task lines counts the tasks that ran and the skipped tasks', async () => {
  const document = sample({
    0: start('1'),
    1: scan('hello', ['2']),
    2: decides({ yes: [[compares('isExists', 'inputs.nothing')]] }, { yes: ['3'], '#default#': ['4'] }),
    3: title('4'),
    4: scan('bye', ['5']),
    5: title(),
  });
  const file = join(temporaryFolder('playbook'), 'p.yml');
  writeFileSync(file, stringify(document));
  const terminal = { columns: 80, rows: 24 };
  const { code, stdout, stderr } = await runProgram(['playbook', file], { terminal, environment: { NO_COLOR: '1' } });
  expect(code).toBe(0);
  const shown = stderr
    .split('\r\u001b[2K')
    .flatMap((line) => /[█░] +(\d+ %).*?(\d of 6 tasks)/.exec(line)?.slice(1) ?? []);
  expect([...new Set(shown)].join(' ')).toBe(
    '0 % 0 of 6 tasks 16 % 1 of 6 tasks 33 % 2 of 6 tasks 66 % 4 of 6 tasks 83 % 5 of 6 tasks',
  );
  expect(stderr.endsWith('\r\u001b[2K')).toBe(true);
  expect(stdout.match(/^\d {2}.*/gm)).toHaveLength(5);
});
