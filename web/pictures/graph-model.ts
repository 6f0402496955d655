/** A playbook as the service draws it, and what is known about its tasks during a rehearsal. */
import type { GraphLink, PlaybookGraph } from '../../lib/playbook/graph.ts';
import type { stepJson } from '../../lib/playbook/trace.ts';
import type { Problem, Run } from '../types.ts';

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

/** What is known about a rehearsal. */
export interface Rehearsed {
  readonly phase: 'idle' | 'running' | 'ended';
  /** The tasks that have ended, by id. */
  readonly done: ReadonlyMap<string, DoneTask>;
  /** With its result when it has ended. */
  readonly run?: Run;
  readonly problem?: Problem;
}

/** Reports whether a task took a link. */
export function isTaken({ from, branch }: GraphLink, { done }: Rehearsed): boolean {
  const task = done.get(from);
  return task !== undefined && task.outcome !== 'failed' && (task.branch ?? '#none#') === branch;
}

/** Returns the task that runs now: the first that a taken link leads to and whose end is not known. */
function runningTask({ tasks, links }: PlaybookGraph, rehearsed: Rehearsed): string | undefined {
  const { done } = rehearsed;
  return done.size === 0 ? tasks[0]?.id : links.find((link) => isTaken(link, rehearsed) && !done.has(link.to))?.to;
}

/** Returns the state of a task; an empty text while it waits. */
export function stateOf(id: string, rehearsed: Rehearsed, graph: PlaybookGraph) {
  const { phase, done } = rehearsed;
  const ended = done.get(id)?.outcome;
  if (ended !== undefined || phase === 'ended') return ended ?? 'skipped';
  return phase === 'running' && runningTask(graph, rehearsed) === id ? 'running' : '';
}
