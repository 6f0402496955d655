/** The tasks of a rehearsal in the browser: their states, and the links that were taken. */
import type { PlaybookGraph } from '../../../lib/playbook/graph.ts';
import { type DoneTask, isTaken, stateOf } from '../../../web/pictures/rehearsal.ts';

const SIZE = { width: 100, height: 40 };
const task = (id: string, x: number, y: number) => ({ id, name: id, kind: 'command' as const, x, y, ...SIZE });
const link = (from: string, to: string, branch: string) => ({
  ...{ from, to, branch, label: branch, isError: false, points: [] },
  labelAt: [0, 0] as const,
});

const GRAPH: PlaybookGraph = {
  ...{ isDrawn: true, width: 400, height: 200 },
  tasks: [task('begin', 100, 0), task('yes', 0, 100), task('no', 200, 100), task('failed', 400, 100)],
  links: [link('begin', 'yes', 'yes'), link('begin', 'no', '#default#'), link('begin', 'failed', '#error#')],
};

const done = (branch?: string, outcome: DoneTask['outcome'] = 'done') =>
  new Map([['begin', { id: 'begin', outcome, ...(branch === undefined ? {} : { branch }) } as DoneTask]]);
const states = (rehearsed: Parameters<typeof stateOf>[1]) => GRAPH.tasks.map(({ id }) => stateOf(id, rehearsed, GRAPH));

it.each([
  ['has not begun', { phase: 'idle', done: new Map() }, ['', '', '', '']],
  ['begins', { phase: 'running', done: new Map() }, ['running', '', '', '']],
  ['takes a branch', { phase: 'running', done: done('#default#') }, ['done', '', 'running', '']],
  ['handles an error', { phase: 'running', done: done('#error#', 'handled') }, ['handled', '', '', 'running']],
  ['ends', { phase: 'ended', done: done('yes') }, ['done', 'skipped', 'skipped', 'skipped']],
  ['fails', { phase: 'ended', done: done(undefined, 'failed') }, ['failed', 'skipped', 'skipped', 'skipped']],
] as const)('A rehearsal that %s shows the state of each task', (_what, rehearsed, expected) => {
  expect(states(rehearsed)).toEqual(expected);
});

it('takes no link from a task that failed', () => {
  expect(GRAPH.links.filter((each) => isTaken(each, { phase: 'ended', done: done(undefined, 'failed') }))).toEqual([]);
});
