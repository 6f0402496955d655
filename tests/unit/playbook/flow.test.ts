import { ValidationError } from '../../../lib/core/errors.ts';
import { checkFlow, walk } from '../../../lib/playbook/flow.ts';
import { collectProblems, NEXT, type Task } from '../../../lib/playbook/playbook.ts';
import { expectNone } from '../../support/expect-none.ts';

type Branches = Readonly<Record<string, readonly string[]>>;

/** Makes tasks from their followers, by branch; a list is the branch of a task without conditions. */
function graph(tasks: Readonly<Record<string, readonly string[] | Branches>>, start = 'a') {
  const made = Object.entries(tasks).map(([id, next]): [string, Task] => {
    const branches = Array.isArray(next) ? { [NEXT]: next } : next;
    return [id, { id, name: '', kind: 'title', line: undefined, next: new Map(Object.entries(branches)) }];
  });
  return { start, tasks: new Map(made) };
}

function problemsOf(playbook: ReturnType<typeof graph>): readonly string[] {
  const problems = collectProblems();
  checkFlow(playbook, problems);
  try {
    problems.end();
  } catch (thrown) {
    if (thrown instanceof ValidationError) return thrown.problems.map(({ message }) => message);
    throw thrown;
  }
  return [];
}

const CIRCLE = 'it leads back to itself, which cannot be rehearsed.';

describe('the tasks of a playbook', () => {
  test.each([
    { what: 'in a row', tasks: { a: ['b'], b: ['c'], c: [] } },
    { what: 'that join', tasks: { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] } },
    { what: 'of branches that name one task twice', tasks: { a: { yes: ['b'], no: ['b'] }, b: [] } },
  ])('$what are in order', ({ tasks }) => {
    expectNone(problemsOf(graph(tasks)), 'problems');
  });

  test.each([
    {
      what: 'lead to tasks that are missing',
      tasks: { a: ['x', 'y'] },
      says: ['Task a (title): it leads to x, y, which is not there.'],
    },
    { what: 'are not reached', tasks: { a: [], b: [] }, says: ['Task b (title): nothing leads to it.'] },
    {
      what: 'are a circle, without those before and after it',
      tasks: { a: ['b'], b: ['c'], c: ['b', 'd'], d: ['e'], e: [] },
      says: [`Task b (title): ${CIRCLE}`, `Task c (title): ${CIRCLE}`],
    },
    { what: 'follow themselves', tasks: { a: ['b'], b: ['b'] }, says: [`Task b (title): ${CIRCLE}`] },
    {
      what: 'are a circle that nothing leads to',
      tasks: { a: [], b: ['c'], c: ['b'] },
      says: ['Task b (title): nothing leads to it.', 'Task c (title): nothing leads to it.'],
    },
  ])('that $what are problems', ({ tasks, says }) => {
    expect(problemsOf(graph(tasks))).toEqual(says);
  });

  test('require a start task', () => {
    expect(problemsOf(graph({ a: [] }, 'x'.repeat(41)))).toEqual([
      `The task to start with, "${'x'.repeat(40)}", is not there.`,
    ]);
  });
});

describe('a walk', () => {
  const visits = async (tasks: Parameters<typeof graph>[0], branches: Readonly<Record<string, string>> = {}) => {
    const seen: string[] = [];
    await walk(graph(tasks), async ({ id }) => {
      seen.push(id);
      return id in branches ? branches[id] : NEXT;
    });
    return seen.join('');
  };
  const DIAMOND = { a: { yes: ['b'], no: ['c'] }, b: ['d'], c: ['d'], d: [] };

  test.each([
    {
      what: 'waits for all that lead to a task',
      tasks: { a: ['b', 'c'], b: ['d'], c: ['e'], e: ['d'], d: ['f'], f: [] },
      seen: 'abcedf',
    },
    { what: 'takes one branch, and goes on where they join', tasks: DIAMOND, branches: { a: 'yes' }, seen: 'abd' },
    { what: 'takes the other branch', tasks: DIAMOND, branches: { a: 'no' }, seen: 'acd' },
    { what: 'runs no task behind a branch that does not exist', tasks: DIAMOND, branches: { a: 'else' }, seen: 'a' },
    {
      what: 'runs nothing behind a task that will not run',
      tasks: { a: { yes: ['b'], no: ['c'] }, b: ['d'], d: [], c: [] },
      branches: { a: 'no' },
      seen: 'ac',
    },
    { what: 'passes over a task that is missing', tasks: { a: ['x', 'b'], b: [] }, seen: 'ab' },
    {
      what: 'counts a task once that two branches lead to',
      tasks: { a: { yes: ['b'], no: ['b'] }, b: [] },
      branches: { a: 'yes' },
      seen: 'ab',
    },
  ])('$what', async ({ tasks, branches, seen }) => {
    expect(await visits(tasks, branches)).toBe(seen);
  });

  test('ends at a final task', async () => {
    const seen: string[] = [];
    await walk(graph({ a: ['b', 'c'], b: [], c: [] }), async ({ id }) => {
      seen.push(id);
      return id === 'b' ? undefined : NEXT;
    });
    expect(seen).toEqual(['a', 'b']);
  });
});
