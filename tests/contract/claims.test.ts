import ClaimsReporter, { dueIds, requirementIds } from '../claims-reporter.mjs';
import { expectNone } from '../support/expect-none.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { scenarios } from '../system/scenarios/ids.ts';
import { requirement } from './claims.ts';

type Configuration = ConstructorParameters<typeof ClaimsReporter>[0];

const whole: Configuration = { testPathPatterns: { patterns: [] } };

/** The reporter's verdict on a run of these tests, in which the ids `one` and `two` are due. */
function report(config: Configuration, tests: { title: string; status: string }[], wasInterrupted = false) {
  const written: string[] = [];
  const reporter = new ClaimsReporter(config, { ids: ['one', 'two'], write: (text) => written.push(text) });
  reporter.onRunComplete(undefined, { wasInterrupted, testResults: [{ testResults: tests }] });
  return { error: reporter.getLastError()?.message, written: written.join('') };
}

describe('a claim', () => {
  test.each([
    { kind: 'requirement', register: requirement },
    { kind: 'scenario', register: scenario },
  ])('of an unknown $kind is refused when the test file is loaded', ({ kind, register }) => {
    const run = () => undefined;
    expect(() => register('no-such-id', 'title', run)).toThrow(`unknown ${kind}: no-such-id`);
    expect(() => register([], 'title', run)).toThrow(`unknown ${kind}: no id`);
    expect(() => register.each([{}])('no-such-id', 'title', run)).toThrow(`unknown ${kind}: no-such-id`);
  });
});

describe('the claims reporter', () => {
  const passed = (title: string) => ({ title, status: 'passed' });

  test.each([
    { what: 'one test each', tests: [passed('[one] a'), passed('[two] b')] },
    { what: 'one test for both', tests: [passed('[one, two] a')] },
    {
      what: 'a passing test and a failing test',
      tests: [passed('[one, two] a'), { title: '[two] b', status: 'failed' }],
    },
  ])('is silent when every due id is claimed by $what', ({ tests }) => {
    expect(report(whole, tests)).toEqual({ error: undefined, written: '' });
  });

  test.each([
    { what: 'no test claims', tests: [passed('[one] a')] },
    { what: 'only a failing test claims', tests: [passed('[one] a'), { title: '[two] b', status: 'failed' }] },
    { what: 'only a skipped test claims', tests: [passed('[one] a'), { title: '[two] b', status: 'pending' }] },
    { what: 'a title mentions elsewhere', tests: [passed('[one] a'), passed('b [two]')] },
  ])('fails the run and names an id that $what', ({ tests }) => {
    const { error, written } = report(whole, tests);
    expect(error).toBe('no passing test claims: two');
    expect(written).toContain('  two\n');
    expect(written).not.toContain('one');
  });

  test.each([
    { what: 'chosen by path', config: { testPathPatterns: { patterns: ['tests/x'] } } },
    { what: 'chosen by name', config: { ...whole, testNamePattern: 'x' } },
    { what: 'chosen by change', config: { ...whole, onlyChanged: true } },
    { what: 'of one shard', config: { ...whole, shard: { shardIndex: 1, shardCount: 2 } } },
  ])('reports nothing for a run of tests $what', ({ config }) => {
    expect(report(config, [])).toEqual({ error: undefined, written: '' });
  });

  test('reports nothing for an interrupted run', () => {
    expect(report(whole, [], true)).toEqual({ error: undefined, written: '' });
  });

  test('reads the due ids from the data files', () => {
    const ids = new Set(dueIds());
    const listed = [...requirementIds(), ...scenarios.filter(({ due }) => due === 'now').map(({ id }) => id)];
    expectNone(
      listed.filter((id) => !ids.has(id)),
      'ids that are due and not counted',
    );
    expect(ids.size).toBeLessThanOrEqual(requirementIds().length + scenarios.length);
  });
});
