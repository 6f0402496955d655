/** A playbook as the service draws it, and what is known about its tasks during a rehearsal. */

export interface Input {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export interface ListedPlaybook {
  readonly name: string;
  readonly title: string;
  readonly inputs: readonly Input[];
}

export interface GraphTask {
  readonly id: string;
  readonly name: string;
  readonly kind: 'command' | 'script' | 'condition' | 'question' | 'start' | 'title';
  readonly command?: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface GraphLink {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly isError: boolean;
  readonly points: readonly (readonly [number, number])[];
  readonly labelAt: readonly [number, number];
}

export interface PlaybookGraph {
  readonly title: string;
  readonly inputs: readonly Input[];
  readonly isDrawn: boolean;
  readonly width: number;
  readonly height: number;
  readonly tasks: readonly GraphTask[];
  readonly links: readonly GraphLink[];
}

export interface Compared {
  readonly branch: string;
  readonly of?: string;
  readonly left: unknown;
  readonly operator: string;
  readonly right?: unknown;
  readonly holds: boolean;
}

/** The event `task` of a rehearsal: how a task ended. */
export interface DoneTask {
  readonly id: string;
  readonly outcome: 'done' | 'failed' | 'handled';
  /** Absent for a task without conditions. */
  readonly branch?: string;
  readonly notes?: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly trace?: {
    readonly inputs: readonly unknown[];
    readonly wrote: Readonly<Record<string, unknown>>;
    readonly compared: readonly Compared[];
  };
}

export type TaskState = DoneTask['outcome'] | 'waiting' | 'running' | 'not run';

/** Marks and words of the states, which need no colour. */
export const STATES: Readonly<Record<TaskState, { readonly mark: string; readonly word: string }>> = {
  waiting: { mark: '', word: '' },
  running: { mark: '…', word: 'running' },
  done: { mark: '✓', word: 'done' },
  handled: { mark: '!', word: 'error handled' },
  failed: { mark: '✗', word: 'failed' },
  'not run': { mark: '–', word: 'not run' },
};

const KINDS: Readonly<Record<GraphTask['kind'], string>> = {
  command: 'Command',
  script: 'Script',
  condition: 'Condition',
  question: 'Question',
  start: 'Start',
  title: 'Section',
};

/** Names a task for people. */
export function nameOf({ name, kind }: Pick<GraphTask, 'name' | 'kind'>): string {
  return name === '' ? KINDS[kind] : name;
}

/** Names what a task does. */
export function kindOf({ kind, command }: Pick<GraphTask, 'kind' | 'command'>): string {
  return command ?? KINDS[kind];
}

const LABELS: Readonly<Record<string, string>> = { '#none#': '', '#default#': 'else', '#error#': 'error' };
const MAX_LABEL_LENGTH = 30;

/** Reports whether a task took a link. */
export function isTaken({ from, label, isError }: GraphLink, done: ReadonlyMap<string, DoneTask>): boolean {
  const task = done.get(from);
  if (task === undefined || task.outcome === 'failed') return false;
  const { branch = '#none#' } = task;
  return isError ? branch === '#error#' : (LABELS[branch] ?? branch.slice(0, MAX_LABEL_LENGTH)) === label;
}

/** Returns the task that runs now: the first task to which a taken link leads, and whose own end is not known. */
export function runningTask({ tasks, links }: PlaybookGraph, done: ReadonlyMap<string, DoneTask>): string | undefined {
  if (done.size === 0) return tasks[0]?.id;
  return links.find((link) => isTaken(link, done) && !done.has(link.to))?.to;
}

/** Returns the state of a task. */
export function stateOf(id: string, rehearsal: Rehearsed, graph: PlaybookGraph): TaskState {
  const own = rehearsal.done.get(id);
  if (own !== undefined) return own.outcome;
  if (rehearsal.phase === 'idle') return 'waiting';
  if (rehearsal.phase === 'ended') return 'not run';
  return runningTask(graph, rehearsal.done) === id ? 'running' : 'waiting';
}

/** What is known about a rehearsal. */
export interface Rehearsed {
  readonly phase: 'idle' | 'running' | 'ended';
  readonly done: ReadonlyMap<string, DoneTask>;
}

/** Returns the task that an arrow key leads to from another task. */
export function neighbour({ tasks, links }: PlaybookGraph, from: string, key: string): string | undefined {
  if (key === 'ArrowDown') return links.find((link) => link.from === from)?.to;
  if (key === 'ArrowUp') return links.find((link) => link.to === from)?.from;
  const own = tasks.find(({ id }) => id === from);
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  if (own === undefined || step === 0) return undefined;
  const beside = tasks
    .filter(({ x, y }) => (x - own.x) * step > 0 && Math.abs(y - own.y) < 2 * own.height)
    .sort((one, other) => distance(one, own) - distance(other, own));
  return beside[0]?.id;
}

function distance(one: GraphTask, other: GraphTask): number {
  return Math.abs(one.x - other.x) + Math.abs(one.y - other.y);
}
