import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CancelledError, ValidationError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import { readPlaybookDocument } from '../../../lib/playbook/read-playbook.ts';
import { run } from '../../hosts/terminal-support.ts';
import { failing } from '../../support/exchange.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { stoppedWhen } from '../../support/stop.ts';
import { compares, decides, rehearse, runs, sample, start, title } from './rehearsal.ts';

const SCAN = 'aisec-runtime-scan';
const scan = (prompt: unknown, next: readonly string[] = [], more: JsonObject = {}) =>
  runs(SCAN, { profile_name: 'prod', prompt }, next, more);
const fromContext = (root: string, more: JsonObject = {}) => ({ complex: { root, ...more } });
/** The prompts that reached the scanner. */
const prompts = (requests: readonly { url: string; body?: string }[]) =>
  requests.filter(({ url }) => url.includes('/scan/')).map(({ body }) => JSON.parse(body ?? '').contents[0].prompt);

describe('the way through a playbook', () => {
  test('a task waits for all its predecessors, and runs once', async () => {
    const { ids } = await rehearse(
      sample({ 0: start('1', '2'), 1: title('3'), 2: title('4'), 3: title('5'), 4: title('5'), 5: title() }),
    );
    expect(ids).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  test('a task does not wait for a task that will not run', async () => {
    const yes = [[compares('isExists', 'inputs.nothing')]];
    const { ids } = await rehearse(
      sample({
        0: start('1'),
        1: decides({ yes }, { yes: ['2'], '#default#': ['4'] }),
        2: title('3'),
        3: title('4'),
        4: title(),
      }),
    );
    expect(ids).toEqual(['0', '1', '4']);
  });

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
  ])('of one entry is its entry in conditions, arguments and texts: %s', async (_what, value) => {
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
    ['another text', filtered([compares('isNotEqualString', 'Things.name', 'a')]), ['B', 'c']],
    ['a part of a text', filtered([compares('containsString', 'Things.name', 'c')]), ['c']],
    ['more than', filtered([compares('greaterThan', 'Things.size', '3')]), ['B']],
    ['no more than', filtered([compares('lessThanOrEqual', 'Things.size', '1')]), ['a']],
    ['an equal number', filtered([compares('isEqualNumber', 'Things.size', '1.0')]), ['a']],
    ['what is false, as a text too', filtered([compares('isFalse', 'Things.open')]), ['B', 'c']],
    ['what is there', filtered([compares('isExists', 'Things.size')]), ['a', 'B']],
    ['what is not empty', filtered([compares('isNotEmpty', 'Things.tags')]), ['B']],
    ['what is empty or not there', filtered([compares('isEmpty', 'Things.tags')]), ['a', 'c']],
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

  test.each([
    {
      what: 'an object as a text',
      compared: compares('isEqualString', 'One', 'x'),
      message: /object cannot be compared/,
    },
    {
      what: 'a text as a number',
      compared: compares('greaterThan', 'One.name', '3'),
      message: /"only" is not a number/,
    },
  ])('$what cannot be compared', async ({ compared, message }) => {
    const tasks = { 0: start('1'), 1: decides({ yes: [[compared]] }, { yes: ['2'], '#default#': ['2'] }), 2: title() };
    const { failed } = await rehearse(sample(tasks), {}, { context: { One: { name: 'only' } } });
    expect(failed?.error?.message).toMatch(message);
  });
});

describe('unsupported parts are refused by name before anything runs', () => {
  const withTask = (task: JsonObject) => sample({ 0: start('1'), 1: task });
  const command = (script: string, more: JsonObject = {}) => ({
    type: 'regular',
    task: { script, iscommand: true, ...more },
  });

  test.each<[string, JsonObject, RegExp]>([
    ['a type of task', withTask({ type: 'collection' }), /Task 1 \(T1\): a task of type "collection"/],
    ['a sub-playbook', withTask({ type: 'playbook', task: { playbookName: 'Other' } }), /type "playbook"/],
    ['a script', withTask({ type: 'regular', task: { scriptName: 'Sleep' } }), /the script "Sleep"/],
    ['a command of others', withTask(command('Builtin|||setIncident')), /the command "setIncident" of "Builtin"/],
    ['a task for a person', withTask({ type: 'regular' }), /a person does it/],
    ['a command that is not there', withTask(command('|||aisec-runtime-scam')), /no command "aisec-runtime-scam".*/],
    [
      'an argument that is not there',
      withTask(scan('a', [], { scriptarguments: { profil_name: { simple: 'a' } } })),
      /no argument "profil_name"/,
    ],
    [
      'an argument that is missing',
      withTask(runs(SCAN, { prompt: 'a' })),
      /required argument profile_name of aisec-runtime-scan is missing/,
    ],
    [
      'an operator',
      withTask(decides({ yes: [[compares('isNear', 'inputs.a', 'b')]] }, { yes: ['0'] })),
      /the operator "isNear"/,
    ],
    [
      'a transformer',
      withTask(scan(fromContext('A', { transformers: [{ operator: 'atIndex' }] }))),
      /prompt: the transformer "atIndex"/,
    ],
    [
      'a transformer with arguments',
      withTask(scan(fromContext('A', { transformers: [{ operator: 'count', args: { a: {} } }] }))),
      /"count" has no argument "a"/,
    ],
    ['a path that is code', withTask(scan(fromContext('A.=val.b'))), /"A.=val.b" is not a valid context path/],
    [
      'a condition by a script',
      withTask({ type: 'condition', task: { scriptName: 'isError' } }),
      /the script "isError"/,
    ],
    [
      'a condition for a person',
      withTask({ type: 'condition', nexttasks: {} }),
      /a person decides here, but it has no branches/,
    ],
    [
      'a loop until something holds',
      withTask(scan('a', [], { loop: { exitCondition: 'isTrue' } })),
      /loop until a condition holds/,
    ],
    [
      'an error path without a branch',
      withTask(scan('a', [], { continueonerror: true, continueonerrortype: 'errorPath' })),
      /no branch #error#/,
    ],
    [
      'a branch that nothing leads to',
      withTask({ ...title('0'), nexttasks: { yes: ['0'] } }),
      /nothing leads to its branch "yes"/,
    ],
    [
      'a branch that leads nowhere',
      withTask(decides({ yes: [[compares('isTrue', 'a')]], no: [[compares('isFalse', 'a')]] }, { yes: ['0'] })),
      /branch "no" leads nowhere/,
    ],
    ['a task that is not there', sample({ 0: start('7') }), /leads to 7, which is not there/],
    ['a task that cannot be reached', sample({ 0: start(), 1: title() }), /Task 1 \(T1\): nothing leads to it/],
    [
      'a cycle, with its tasks only',
      sample({ 0: start('1'), 1: title('2'), 2: title('1', '3'), 3: title() }),
      /^Task 1 \(T1\): it leads back[^.]*\. Task 2 \(T2\): it leads back[^.]*\.$/,
    ],
    ['a beginning that is not there', { ...sample({ 0: start() }), starttaskid: '9' }, /start with, "9", is not there/],
    ['no playbook at all', { name: 'x' }, /has no tasks/],
  ])('%s', async (_what, document, message) => {
    const error = await failing(rehearse(document));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.message).toMatch(message);
  });

  test('reports all problems together, with suggestions', async () => {
    const error = await failing(
      rehearse(
        sample({
          0: start('1', '2'),
          1: command('|||aisec-runtime-scam'),
          2: decides({ yes: [[compares('isEqualStrin', 'a')]] }, { yes: ['1'] }),
        }),
      ),
    );
    expect(error instanceof ValidationError && error.problems.map(({ hint }) => hint)).toEqual(
      expect.arrayContaining(['Did you mean "aisec-runtime-scan"?', 'Did you mean "isEqualString"?']),
    );
  });

  test.each([
    ['a: [', /^p\.yml:1: not valid YAML at column 5/],
    ['- a', /not a playbook/],
    ['a: &a [*a]\nb: *c', /not (valid YAML|a playbook)/],
  ])('a text that is not a playbook: %j', async (text, message) => {
    expect((await failing(readPlaybookDocument(text, 'p.yml'))).message).toMatch(message);
  });

  test('labels and keys that YAML 1.1 reads as other types become texts again', async () => {
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

  test('prints a line for each task, and the remaining ones', async () => {
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

  test('--input is refused for other subcommands', async () => {
    expect((await run(['--simulate', 'doctor', '--input', 'a=b'])).stderr).toContain(
      '--input belongs to: aisec playbook',
    );
  });
});
