/** A playbook as the service draws it, and what is known about its tasks during a rehearsal. */
import type { GraphLink, GraphTask, PlaybookGraph } from '../../lib/playbook/graph.ts';
import type { stepJson } from '../../lib/playbook/trace.ts';

export type { GraphLink, GraphTask } from '../../lib/playbook/graph.ts';

export interface DrawnPlaybook extends PlaybookGraph {
  readonly title: string;
  readonly inputs: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
    readonly default?: string;
  }[];
}

/** The event `task` of a rehearsal: how a task ended. */
export type DoneTask = ReturnType<typeof stepJson>;

/** What is known about a rehearsal: the tasks that have ended, by id. */
export interface Rehearsed {
  readonly phase: 'idle' | 'running' | 'ended';
  readonly done: ReadonlyMap<string, DoneTask>;
}

/** Marks and words of the states, which need no colour. */
export const STATES = {
  waiting: '',
  running: '… running',
  done: '✓ done',
  handled: '! error handled',
  failed: '✗ failed',
  'not run': '– not run',
} as const;

export type TaskState = keyof typeof STATES;

/** Names a task for people. */
export function nameOf({ name, kind }: Pick<GraphTask, 'name' | 'kind'>): string {
  return name === '' ? kind : name;
}

/** The service cuts labels. */
const MAX_LABEL_LENGTH = 30;
const LABELS: Readonly<Record<string, string>> = { '#none#': '', '#default#': 'else' };

/** Reports whether a task took a link. */
export function isTaken({ from, label, isError }: GraphLink, { done }: Rehearsed): boolean {
  const task = done.get(from);
  if (task === undefined || task.outcome === 'failed') return false;
  const { branch = '#none#' } = task;
  return isError ? branch === '#error#' : (LABELS[branch] ?? branch.slice(0, MAX_LABEL_LENGTH)) === label;
}

/** Returns the task that runs now: the first that a taken link leads to and whose end is not known. */
export function runningTask({ tasks, links }: PlaybookGraph, rehearsed: Rehearsed): string | undefined {
  const { phase, done } = rehearsed;
  if (phase !== 'running') return undefined;
  return done.size === 0 ? tasks[0]?.id : links.find((link) => isTaken(link, rehearsed) && !done.has(link.to))?.to;
}

/** Returns the state of a task. */
export function stateOf(id: string, rehearsed: Rehearsed, graph: PlaybookGraph): TaskState {
  const { phase, done } = rehearsed;
  const otherwise = phase === 'ended' ? 'not run' : 'waiting';
  return done.get(id)?.outcome ?? (runningTask(graph, rehearsed) === id ? 'running' : otherwise);
}

/** Returns the task to which an arrow key leads. */
export function neighbour({ tasks, links }: PlaybookGraph, from: string, key: string): string | undefined {
  if (key === 'ArrowDown') return links.find((link) => link.from === from)?.to;
  if (key === 'ArrowUp') return links.find((link) => link.to === from)?.from;
  const own = tasks.find(({ id }) => id === from);
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  if (own === undefined) return undefined;
  const distance = ({ x, y }: GraphTask) => Math.abs(x - own.x) + Math.abs(y - own.y);
  const beside = tasks.filter(({ x, y }) => (x - own.x) * step > 0 && Math.abs(y - own.y) < 2 * own.height);
  return beside.sort((one, other) => distance(one) - distance(other))[0]?.id;
}
