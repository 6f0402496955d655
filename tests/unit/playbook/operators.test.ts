import { type AisecError, UsageError } from '../../../lib/core/errors.ts';
import { OPERATORS, type OperatorName } from '../../../lib/playbook/operators.ts';
import { runScript, type ScriptName } from '../../../lib/playbook/scripts.ts';
import { compares, decides, rehearse, runs, sample, start, title } from './rehearsal.ts';

const LIST_HINT = 'Name the member to compare, or keep one item with a filter.';

describe('an operator', () => {
  test.each<[OperatorName, unknown, unknown, boolean]>([
    ['isEqualString', 'a', 'a', true],
    ['isEqualString', 'a', 'A', false],
    ['isEqualString', 1, '1', true],
    ['isEqualString', ['b', 'a'], 'a', true],
    ['isEqualString', ['b', 'c'], 'a', false],
    ['isEqualString', 'a', ['a'], true],
    ['isEqualString', undefined, '', true],
    ['isNotEqualString', 'a', 'b', true],
    ['containsString', 'abc', 'b', true],
    ['notContainsString', 'abc', 'd', true],
    ['isEqualNumber', '2.0', 2, true],
    ['isEqualNumber', 3, 2, false],
    ['isEqualNumber', undefined, undefined, false],
    ['isEqualNumber', ' ', 0, false],
    ['isEqualNumber', ' 2 ', '2', true],
    ['greaterThan', 3, 2, true],
    ['greaterThan', 2, 2, false],
    ['greaterThan', undefined, -1, false],
    ['isBefore', '2026-11-25T00:00:00Z', '2026-11-25T00:00:01Z', true],
    ['isBefore', '2026-11-25T00:00:00Z', '2026-11-25T00:00:00Z', false],
    ['isBefore', ['2027-01-01', '2026-01-01'], '2026-06-01', true],
    ['isBefore', undefined, '2026-06-01', false],
    ['isAfter', '2026-11-25T00:00:00+01:00', '2026-11-24T22:59:59Z', true],
    ['isAfter', '2026-01-01', '2026-06-01', false],
    ['greaterThanOrEqual', 2, 2, true],
    ['greaterThanOrEqual', 1, 2, false],
    ['lessThan', 1, 2, true],
    ['lessThan', 2, 2, false],
    ['lessThan', undefined, 2, false],
    ['lessThanOrEqual', 2, 2, true],
    ['lessThanOrEqual', 3, 2, false],
    ['isTrue', true, undefined, true],
    ['isTrue', 'TRUE', undefined, true],
    ['isTrue', 'false', undefined, false],
    ['isTrue', 1, undefined, false],
    ['isFalse', 'False', undefined, true],
    ['isFalse', undefined, undefined, false],
    ['isExists', '', undefined, true],
    ['isExists', null, undefined, false],
    ['isNotExists', undefined, undefined, true],
    ['isNotExists', 0, undefined, false],
    ['isEmpty', '', undefined, true],
    ['isEmpty', undefined, undefined, true],
    ['isEmpty', [], undefined, true],
    ['isEmpty', {}, undefined, true],
    ['isEmpty', [''], undefined, false],
    ['isEmpty', { a: 1 }, undefined, false],
    ['isEmpty', 0, undefined, false],
    ['isNotEmpty', 'x', undefined, true],
    ['isNotEmpty', {}, undefined, false],
  ])('%s of %j and %j is %j', (name, left, right, expected) => {
    expect(OPERATORS[name](left, right, false)).toBe(expected);
  });

  test.each<[OperatorName, unknown, unknown, boolean]>([
    ['isEqualString', 'aB', 'Ab', true],
    ['isNotEqualString', 'aB', 'Ab', false],
    ['containsString', 'xABx', 'ab', true],
  ])('%s of %j and %j ignores case on request: %j', (name, left, right, expected) => {
    expect(OPERATORS[name](left, right, true)).toBe(expected);
  });

  test.each<[OperatorName, unknown, unknown, string, string | undefined]>([
    ['isEqualString', { a: 1 }, 'a', 'An object cannot be compared with a text or a number.', LIST_HINT],
    ['isEqualString', 'a', ['a', 'b'], 'A list cannot be compared with a text or a number.', LIST_HINT],
    ['isTrue', [[1, 2]], undefined, 'A list cannot be compared with a text or a number.', LIST_HINT],
    ['isAfter', 'soon', '2026-06-01', '"soon" is not a time, and cannot be compared as one.', undefined],
    ['greaterThan', 'many', 1, '"many" is not a number, and cannot be compared as one.', undefined],
    [
      'greaterThan',
      1,
      'x'.repeat(61),
      `"${'x'.repeat(60)}" is not a number, and cannot be compared as one.`,
      undefined,
    ],
  ])('%s of %j and %j is refused', (name, left, right, message, hint) => {
    let thrown: unknown;
    try {
      OPERATORS[name](left, right, false);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UsageError);
    expect(thrown).toMatchObject({ message, ...(hint === undefined ? {} : { hint }) });
  });
});

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

  test('takes its error path if it fails, or stops', async () => {
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

  test('that doubles a value ends at the limit on the total size of values, before it uses that memory', async () => {
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
