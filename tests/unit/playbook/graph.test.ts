/** The layout of a playbook: places of tasks, links by branch, and playbooks that are too large to draw. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../../commands/index.ts';
import { graphOf } from '../../../lib/playbook/graph.ts';
import type { Task } from '../../../lib/playbook/playbook.ts';
import { readPlaybookText } from '../../../lib/playbook/read-playbook.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'lib', 'manifest', 'assets', 'playbooks');

/** Tasks by number. @param links from, to and branch */
function tasksOf(count: number, links: readonly (readonly [from: number, to: number, branch?: string])[]) {
  const tasks = Array.from({ length: count }, (_, id): Task => {
    const next = new Map<string, string[]>();
    for (const [from, to, branch = '#none#'] of links) {
      if (from === id) next.set(branch, [...(next.get(branch) ?? []), String(to)]);
    }
    return { kind: 'title', id: String(id), name: `Task ${id}`, line: undefined, next };
  });
  return { tasks: new Map(tasks.map((task) => [task.id, task])) };
}

const chain = (count: number) => Array.from({ length: count - 1 }, (_, at) => [at, at + 1] as const);

describe.each(readdirSync(FOLDER).filter((name) => name.endsWith('.yml')))('The playbook %s', (name) => {
  it('is drawn with every task in its own place, and lines that join them', async () => {
    const playbook = await readPlaybookText(readFileSync(join(FOLDER, name), 'utf8'), name, registry);
    const { isDrawn, width, height, tasks, links } = graphOf(playbook);
    expect(isDrawn).toBe(true);
    expect(tasks).toHaveLength(playbook.tasks.size);
    const isInside = tasks.every((task) => task.x >= 0 && task.y >= 0 && task.x + task.width <= width);
    expect(isInside && tasks.every((task) => task.y + task.height <= height)).toBe(true);
    const overlaps = tasks.flatMap((one, at) =>
      tasks
        .slice(at + 1)
        .filter((other) => Math.abs(one.x - other.x) < one.width && Math.abs(one.y - other.y) < one.height),
    );
    expect(overlaps).toEqual([]);
    expect(links.every(({ points }) => points.length > 1)).toBe(true);
  });
});

it('names the branches for people, and marks the paths after an error', () => {
  const links = [
    [0, 1, 'yes'],
    [0, 1, '#default#'],
    [0, 2, '#error#'],
    [1, 2],
  ] as const;
  const { links: drawn } = graphOf(tasksOf(3, links));
  expect(drawn.map(({ from, to, branch, label, isError }) => [from, to, branch, label, isError])).toEqual([
    ['0', '1', 'yes', 'yes', false],
    ['0', '1', '#default#', 'else', false],
    ['0', '2', '#error#', 'error', true],
    ['1', '2', '#none#', '', false],
  ]);
});

it.each(['__proto__', 'constructor', 'toString', 'prototype', 'valueOf'])(
  'draws a task called %s, and changes no other object',
  (id) => {
    const task = (name: string, next: readonly string[]): Task => ({
      ...{ kind: 'title', id: name, name, line: undefined },
      next: new Map(next.length === 0 ? [] : [['#none#', next]]),
    });
    const tasks = [
      task('start', [id, 'authorization']),
      task(id, ['x-aisec-page', 'end']),
      task('authorization', [id]),
      task('x-aisec-page', []),
      task('end', []),
    ];
    const { isDrawn, width, tasks: drawn } = graphOf({ tasks: new Map(tasks.map((each) => [each.id, each])) });
    expect([isDrawn, width > 0, drawn.map((each) => each.id)]).toEqual([true, true, tasks.map((each) => each.id)]);
    const other = {} as Record<string, unknown>;
    expect([other['authorization'], other['x-aisec-page'], other['end'], other['start']]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  },
);

it.each([
  ['tasks', tasksOf(61, chain(61)), 61],
  [
    'links',
    tasksOf(
      2,
      Array.from({ length: 121 }, (_, at) => [0, 1, `branch ${at}`] as const),
    ),
    2,
  ],
  ['long links', tasksOf(60, [...chain(60), ...chain(9).map(([at]) => [at, 59, 'end'] as const)]), 60],
])('lists the tasks of a playbook with too many %s, without places', (_what, playbook, count) => {
  const { isDrawn, tasks, links } = graphOf(playbook);
  expect([isDrawn, tasks.length, links.length]).toEqual([false, count, 0]);
});

it('draws the largest playbook', () => {
  expect(graphOf(tasksOf(60, chain(60)))).toMatchObject({ isDrawn: true });
});
