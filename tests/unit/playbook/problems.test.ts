/** Problems in a playbook: each has its task, its line and the possible values. */
import { stringify } from 'yaml';
import { registry } from '../../../commands/index.ts';
import { ValidationError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import { checkFlow, walk } from '../../../lib/playbook/flow.ts';
import { OPERATORS, TRANSFORMERS } from '../../../lib/playbook/operators.ts';
import { collectProblems, NEXT, type Task } from '../../../lib/playbook/playbook.ts';
import {
  readPlaybook,
  readPlaybookDocument,
  readPlaybookText,
  resolveInputs,
} from '../../../lib/playbook/read-playbook.ts';
import { failing } from '../../support/exchange.ts';
import { expectNone } from '../../support/expect-none.ts';
import { compares, decides, runs, sample, start, title } from './rehearsal.ts';

const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split('\n').length;

/** Reads a playbook and returns its problems. */
async function problemsOf(document: JsonObject) {
  const text = stringify(document);
  const { value, source } = await readPlaybookDocument(text, 'p.yml');
  const error = await failing(readPlaybook(value, registry, source));
  const problems = error instanceof ValidationError ? error.problems : [];
  return { text, problems };
}

const SCAN = 'aisec-runtime-scan';
const scan = (values: JsonObject, more: JsonObject = {}) => runs(SCAN, { profile_name: 'prod', ...values }, [], more);
const script = (name: unknown, more: JsonObject = {}) => ({ type: 'regular', task: { script: name, ...more } });
const test1 = (comparison: JsonObject) => decides({ yes: [[comparison]] }, { yes: ['2'] });
const complex = (value: JsonObject) => scan({ prompt: { complex: { root: 'a', ...value } } });
const OURS = 'Commands of AiSec can be, and Set, PrintErrorEntry, DeleteContext, Print, GetTime, send-mail.';
const LONG = 'x'.repeat(100);

const ROWS: readonly { what: string; task: JsonObject; says: string; hint?: string; part: string }[] = [
  {
    what: 'a task type',
    task: { type: LONG },
    says: `Task 1 (T1): a task of type "${LONG.slice(0, 40)}" cannot be rehearsed.`,
    hint: 'Start, title, condition, question, script and command can be.',
    part: 'type: xxx',
  },
  {
    what: 'a script under the alternative member name',
    task: script(undefined, { scriptName: LONG }),
    says: `Task 1 (T1): the script "${LONG.slice(0, 80)}" cannot be rehearsed.`,
    hint: OURS,
    part: '"1":',
  },
  {
    what: 'a task for a person',
    task: script(''),
    says: 'Task 1 (T1): a person does it, which cannot be rehearsed.',
    part: '"1":',
  },
  {
    what: 'a command of another integration',
    task: script(`${LONG}|||${LONG}`),
    says: `Task 1 (T1): the command "${LONG.slice(0, 80)}" of "${LONG.slice(0, 40)}" cannot be rehearsed.`,
    hint: OURS,
    part: '"1":',
  },
  {
    what: 'an unknown command',
    task: script(`AiSec|||${LONG}`),
    says: `Task 1 (T1): there is no command "${LONG.slice(0, 80)}".`,
    part: 'script: AiSec',
  },
  {
    what: 'an unknown argument',
    task: scan({ prompt: 'a', [LONG]: 'b' }),
    says: `Task 1 (T1): ${SCAN} has no argument "${LONG.slice(0, 60)}".`,
    part: `${LONG}:`,
  },
  {
    what: 'a value that is not a string',
    task: scan({ prompt: 'a', response: { simple: ['b'] } }),
    says: 'Task 1 (T1): response: a "simple" value is a text.',
    part: 'response:',
  },
  {
    what: 'a path in a value',
    task: scan({ prompt: { complex: { root: `a b${LONG}` } } }),
    says: `Task 1 (T1): prompt: "a b${LONG.slice(0, 77)}" is not a valid context path.`,
    part: 'root:',
  },
  {
    what: 'a transformer',
    task: complex({ transformers: [{ operator: LONG }] }),
    says: `Task 1 (T1): prompt: the transformer "${LONG.slice(0, 60)}" cannot be rehearsed.`,
    hint: `Known are: ${Object.keys(TRANSFORMERS).join(', ')}.`,
    part: '- operator:',
  },
  {
    what: 'an argument of a transformer',
    task: complex({ transformers: [{ operator: Object.keys(TRANSFORMERS)[0], args: { limit: 3 } }] }),
    says: `Task 1 (T1): prompt: the transformer "${Object.keys(TRANSFORMERS)[0]}" has no argument "limit".`,
    part: '- operator:',
  },
  {
    what: 'an operator',
    task: test1({ operator: LONG }),
    says: `Task 1 (T1): the operator "${LONG.slice(0, 60)}" cannot be rehearsed.`,
    hint: `Known are: ${Object.keys(OPERATORS).join(', ')}.`,
    part: '- operator:',
  },
  {
    what: 'a path on the right',
    task: test1({ ...compares('isEqualString', 'a'), right: { value: { simple: 'c d' }, iscontext: true } }),
    says: 'Task 1 (T1): "c d" is not a valid context path.',
    part: 'right:',
  },
  {
    what: 'a branch without a condition',
    task: decides({ high: [] }, { high: ['2'] }),
    says: 'Task 1 (T1): the branch "high" has no condition.',
    part: '- label: high',
  },
  {
    what: 'an unreachable branch',
    task: { ...title(), nexttasks: { [LONG]: ['2'] } },
    says: `Task 1 (T1): nothing leads to its branch "${LONG.slice(0, 60)}".`,
    part: `${LONG}:`,
  },
  {
    what: 'a script that decides',
    task: { type: 'condition', task: { script: 'Exists' }, nexttasks: {} },
    says: 'Task 1 (T1): the script "Exists" cannot be rehearsed.',
    hint: 'Conditions on context values can be.',
    part: '"1":',
  },
  {
    what: 'a person without choices',
    task: { type: 'condition', conditions: ['yes'], nexttasks: {} },
    says: 'Task 1 (T1): a person decides here, but it has no branches.',
    part: '"1":',
  },
  ...[{ exitCondition: 'yes' }, { scriptId: 'x' }, { builtincondition: [{ a: 1 }] }].map((loop) => ({
    what: `a loop with ${Object.keys(loop)[0]}`,
    task: scan({ prompt: 'a' }, { loop: { forEach: true, ...loop } }),
    says: 'Task 1 (T1): a loop until a condition holds cannot be rehearsed.',
    part: '"1":',
  })),
  {
    what: 'an error path without its branch',
    task: scan({ prompt: 'a' }, { continueonerror: true, continueonerrortype: 'errorPath' }),
    says: 'Task 1 (T1): it continues on its error path, but has no branch #error#.',
    part: '"1":',
  },
];

describe('a playbook that cannot be rehearsed', () => {
  test.each(ROWS)('names $what, its line, and the possible values', async ({ task, says, hint, part }) => {
    const { text, problems } = await problemsOf(sample({ 0: start('1', '2'), 1: task, 2: title() }));
    const line = lineOf(text, part);
    expect(problems).toEqual([{ message: `p.yml:${line}: ${says}`, hint, line }]);
  });

  test('names an input with an invalid default, at its line', async () => {
    const inputs = [{ key: 'name', value: { complex: { root: 'a b' } } }];
    const { text, problems } = await problemsOf(sample({ 0: start() }, { inputs }));
    const line = lineOf(text, 'root:');
    expect(problems.map(({ message }) => message)).toEqual([
      `p.yml:${line}: Input name: "a b" is not a valid context path.`,
    ]);
  });

  test('suggests a command for twenty unknown names, because each suggestion takes time', async () => {
    const tasks = Object.fromEntries(
      Array.from({ length: 21 }, (_, at) => [String(at + 1), script('AiSec|||aisec-runtime-scam')]),
    );
    const { problems } = await problemsOf(sample({ 0: start(...Object.keys(tasks)), ...tasks }));
    expect(problems.map(({ hint }) => hint?.includes('aisec-runtime-scan'))).toEqual([
      ...Array<boolean>(20).fill(true),
      undefined,
    ]);
  });
});

describe('the inputs of a playbook', () => {
  const read = (inputs: readonly JsonObject[]) =>
    readPlaybookText(stringify(sample({ 0: start() }, { inputs })), 'p.yml', registry);

  test.each([
    {
      inputs: [],
      given: { other: 'a' },
      problems: [{ message: 'The playbook has no input "other".', hint: 'It has none.' }],
    },
    {
      inputs: [{ key: 'name' }, { key: 'file' }],
      given: { [LONG]: 'a' },
      problems: [{ message: `The playbook has no input "${LONG.slice(0, 60)}".`, hint: 'It has name, file.' }],
    },
    {
      inputs: [{ key: 'name', required: true, description: 'A name.' }],
      given: { name: '' },
      problems: [{ message: 'p.yml:12: The input name is required.', hint: 'name: A name.', line: 12 }],
    },
    {
      inputs: [{ key: 'name', required: true }],
      given: {},
      problems: [{ message: 'p.yml:12: The input name is required.', hint: 'name: ', line: 12 }],
    },
  ])('are refused with $problems.0.message', async ({ inputs, given, problems }) => {
    const playbook = await read(inputs);
    const resolve = async () => resolveInputs(playbook, new Map(Object.entries(given)), {});
    expect(await failing(resolve())).toMatchObject({ problems });
  });

  test('have their defaults, and no member without a value', async () => {
    const inputs = [
      { key: 'a', value: { simple: 'x' } },
      { key: 'b', value: { simple: '' } },
      { key: 'c', value: { simple: '${d.e}' } },
      { key: 'f' },
    ];
    const playbook = await read(inputs);
    const context = { d: { e: 'found' } };
    expect(resolveInputs(playbook, new Map([['a', '']]), context)).toEqual({ a: 'x', c: 'found' });
    expect(resolveInputs(playbook, new Map([['a', 'y']]), context)).toEqual({ a: 'y', c: 'found' });
  });
});

type Branches = Readonly<Record<string, readonly string[]>>;

/** Creates tasks from their followers, by branch; a list is the branch of a task without conditions. */
function graph(tasks: Readonly<Record<string, readonly string[] | Branches>>, start = 'a') {
  const made = Object.entries(tasks).map(([id, next]): [string, Task] => {
    const branches = Array.isArray(next) ? { [NEXT]: next } : next;
    return [id, { id, name: '', kind: 'title', line: undefined, next: new Map(Object.entries(branches)) }];
  });
  return { start, tasks: new Map(made) };
}

function flowProblemsOf(playbook: ReturnType<typeof graph>): readonly string[] {
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
    { what: 'of branches that name a task twice', tasks: { a: { yes: ['b'], no: ['b'] }, b: [] } },
  ])('$what are in order', ({ tasks }) => {
    expectNone(flowProblemsOf(graph(tasks)), 'problems');
  });

  test.each([
    {
      what: 'lead to tasks that are missing',
      tasks: { a: ['x', 'y'] },
      says: ['Task a (title): it leads to x, y, which is not there.'],
    },
    { what: 'are not reached', tasks: { a: [], b: [] }, says: ['Task b (title): nothing leads to it.'] },
    {
      what: 'are a cycle, without the tasks before and after it',
      tasks: { a: ['b'], b: ['c'], c: ['b', 'd'], d: ['e'], e: [] },
      says: [`Task b (title): ${CIRCLE}`, `Task c (title): ${CIRCLE}`],
    },
    { what: 'follow themselves', tasks: { a: ['b'], b: ['b'] }, says: [`Task b (title): ${CIRCLE}`] },
    {
      what: 'are an unreachable cycle',
      tasks: { a: [], b: ['c'], c: ['b'] },
      says: ['Task b (title): nothing leads to it.', 'Task c (title): nothing leads to it.'],
    },
  ])('that $what are problems', ({ tasks, says }) => {
    expect(flowProblemsOf(graph(tasks))).toEqual(says);
  });

  test('require a start task', () => {
    expect(flowProblemsOf(graph({ a: [] }, 'x'.repeat(41)))).toEqual([
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
      what: 'waits for all tasks that lead to a task',
      tasks: { a: ['b', 'c'], b: ['d'], c: ['e'], e: ['d'], d: ['f'], f: [] },
      seen: 'abcedf',
    },
    {
      what: 'takes one branch, and continues where the branches join',
      tasks: DIAMOND,
      branches: { a: 'yes' },
      seen: 'abd',
    },
    { what: 'takes the other branch', tasks: DIAMOND, branches: { a: 'no' }, seen: 'acd' },
    { what: 'runs no task after a branch that does not exist', tasks: DIAMOND, branches: { a: 'else' }, seen: 'a' },
    {
      what: 'runs nothing after a task that will not run',
      tasks: { a: { yes: ['b'], no: ['c'] }, b: ['d'], d: [], c: [] },
      branches: { a: 'no' },
      seen: 'ac',
    },
    { what: 'skips a missing task', tasks: { a: ['x', 'b'], b: [] }, seen: 'ab' },
    {
      what: 'counts a task once if two branches lead to it',
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
