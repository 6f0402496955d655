import type { AisecError } from '../../../lib/core/errors.ts';
import { runScript, type ScriptName } from '../../../lib/playbook/scripts.ts';
import { compares, decides, rehearse, runs, sample, start, title } from './rehearsal.ts';

const NOW = Date.UTC(2026, 10, 25, 12);

describe('a script of the platform', () => {
  test.each<[ScriptName, Record<string, unknown>, unknown[], string]>([
    [
      'Set',
      { key: 'A.b', value: 'text, with a comma' },
      [{ path: 'A.b', key: [], value: 'text, with a comma' }],
      'Key A.b set',
    ],
    ['Set', { key: 'A.b', value: '{"c": 1}' }, [{ path: 'A.b', key: [], value: { c: 1 } }], 'Key A.b set'],
    ['Set', { key: 'A.b', value: '12', stringify: 'true' }, [{ path: 'A.b', key: [], value: '12' }], 'Key A.b set'],
    ['Set', { key: 'A.b', value: [1], stringify: 'true' }, [{ path: 'A.b', key: [], value: '[1]' }], 'Key A.b set'],
    ['Set', { key: 'A.b', value: 'x', append: 'true' }, [{ path: 'A.b', value: 'x' }], 'Key A.b set'],
    ['Print', { value: { a: 1 } }, [], '{"a":1}'],
    ['DeleteContext', { all: 'yes' }, [], 'Context cleared'],
    [
      'DeleteContext',
      { key: 'A.b, C', subplaybook: 'auto' },
      [
        { path: 'A.b', key: [], value: undefined },
        { path: 'C', key: [], value: undefined },
      ],
      'Deleted A.b, C',
    ],
    [
      'GetTime',
      { daysAgo: '-2', contextKey: 'A.due' },
      [
        { path: 'A.dueTimeNowUnix', value: NOW + 2 * 86_400_000 },
        { path: 'A.dueTimeNow', value: '2026-11-27T12:00:00.000Z' },
      ],
      '2026-11-27T12:00:00.000Z',
    ],
    [
      'send-mail',
      { to: 'soc@example.com', subject: 'block', body: 'text' },
      [],
      'A mail to soc@example.com would be sent: block',
    ],
  ])('%s with %j behaves as on the platform', (name, args, writes, note) => {
    const result = runScript(name, args, NOW);
    expect(result.writes).toEqual(writes);
    expect(result.readable.notes).toEqual([note]);
  });

  test.each<[ScriptName, Record<string, unknown>, string]>([
    ['Set', { key: 'a' }, 'Set needs a value for value.'],
    ['Set', { value: '' }, 'Set needs a value for key and value.'],
    ['GetTime', { dateFormat: 'Locale' }, 'GetTime can be rehearsed with dateFormat ISO, not with "Locale".'],
    ['GetTime', { daysAgo: 'x' }, 'daysAgo has to be a number, not "x".'],
    ['DeleteContext', { key: ' , ' }, 'DeleteContext needs a value for key, or all=yes.'],
    ['send-mail', { to: 'a' }, 'send-mail needs a value for subject and body.'],
  ])('%s refuses %j', (name, args, message) => {
    let thrown: unknown;
    try {
      runScript(name, args, NOW);
    } catch (error) {
      thrown = error;
    }
    expect((thrown as AisecError).message).toBe(message);
  });
});

describe('a task that runs a script', () => {
  const set = (values: Record<string, unknown>, next: readonly string[] = [], more = {}) => ({
    ...runs('x', values, next, more),
    task: { scriptName: 'Set', iscommand: false },
  });

  test('writes values that later tasks read', async () => {
    const tasks = {
      0: start('1'),
      1: set({ key: 'A.b', value: 'yes' }, ['2']),
      2: decides({ yes: [[compares('isEqualString', 'A.b', 'yes')]] }, { yes: ['3'], '#default#': ['4'] }),
      3: title(),
      4: title(),
    };
    expect((await rehearse(sample(tasks))).ids).toEqual(['0', '1', '2', '3']);
  });

  test('deletes values, which later tasks do not read', async () => {
    const forget = {
      ...runs('x', { key: 'A.b,A.none' }, ['2']),
      task: { scriptName: 'DeleteContext', iscommand: false },
    };
    const tasks = {
      0: start('1'),
      1: forget,
      2: decides(
        { yes: [[compares('isEmpty', 'A.b')], [compares('isNotEmpty', 'A.c')]] },
        { yes: ['3'], '#default#': ['4'] },
      ),
      3: title(),
      4: title(),
    };
    const { ids } = await rehearse(sample(tasks), {}, { context: { A: { b: 'old', c: 'kept' } } });
    expect(ids).toEqual(['0', '1', '2', '3']);
  });

  test('takes its error path when it fails, or stops', async () => {
    const failing = {
      continueonerror: true,
      continueonerrortype: 'errorPath',
      nexttasks: { '#none#': ['2'], '#error#': ['3'] },
    };
    const tasks = { 0: start('1'), 1: set({ key: 'A.b', value: '${Nothing}' }, [], failing), 2: title(), 3: title() };
    expect((await rehearse(sample(tasks))).ids).toEqual(['0', '1', '3']);
    const stopped = await rehearse(sample({ ...tasks, 1: set({ key: 'A.b', value: '${Nothing}' }, ['2', '3']) }));
    expect(stopped.failed?.error?.message).toBe('Set needs a value for value.');
  });

  test('that doubles a value ends at the bound of all values, without their memory', async () => {
    const tasks: Record<string, object> = { 0: start('1'), 1: set({ key: 'A', value: 'x'.repeat(1000) }, ['2']) };
    for (let at = 2; at < 26; at += 1) tasks[at] = set({ key: 'A', value: '${A}${A}' }, [String(at + 1)]);
    tasks['26'] = title();
    const { failed } = await rehearse(sample(tasks as never));
    expect(failed?.error?.message).toBe('References make a text of more than 4000000 characters.');
    for (let at = 13; at < 26; at += 1) tasks[at] = set({ key: 'A', value: 'y${A}' }, [String(at + 1)]);
    const { failed: later } = await rehearse(sample(tasks as never));
    expect(later?.error?.message).toBe('The tasks use values of more than 20000000 characters.');
  });

  test.each([
    [{ key: 'a', vaule: 'b' }, /Set has no argument "vaule" that can be rehearsed\..*argument value of Set is missing/],
    [{}, /argument key of Set is missing.*argument value of Set is missing/],
  ])('is refused with %j before anything runs', async (values, message) => {
    await expect(rehearse(sample({ 0: start('1'), 1: set(values) }))).rejects.toThrow(message);
  });
});

describe('the transformer slice', () => {
  const taken = async (args: Record<string, unknown>) => {
    const complex = { root: 'Names', transformers: [{ operator: 'slice', args }] };
    const task = { ...runs('x', { key: 'A', value: { complex } }), task: { scriptName: 'Set', iscommand: false } };
    const circumstances = { context: { Names: ['a', 'b', 'c', 'd'] } };
    const { room, failed } = await rehearse(
      sample({ 0: start('1'), 1: task }, { inputs: [{ key: 'most', value: { simple: '2' } }] }),
      {},
      circumstances,
    );
    return failed?.error?.message ?? room.context['A'];
  };

  test.each([
    [{ to: { value: { simple: '3' } } }, ['a', 'b', 'c']],
    [{ from: { value: { simple: '1' } } }, ['b', 'c', 'd']],
    [{ from: { value: { simple: '0' } }, to: { value: { simple: 'inputs.most' }, iscontext: true } }, ['a', 'b']],
    [{ to: { value: { simple: 'two' } } }, '"two" is not a whole number, and slice needs it for "to".'],
  ])('of %j', async (args, found) => {
    expect(await taken(args)).toEqual(found);
  });
});
