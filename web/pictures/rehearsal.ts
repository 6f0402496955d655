/** A playbook as the service draws it, its rehearsal, and what is known about its tasks. */
import { signal } from '@preact/signals';
import type { AboutPlaybook } from '../../lib/playbook/about.ts';
import type { GraphLink, PlaybookGraph } from '../../lib/playbook/graph.ts';
import type { stepJson } from '../../lib/playbook/trace.ts';
import { follow, problemFrom, randomKey, type StreamEvent, send, sendJson } from '../api.ts';
import type { Problem, Run } from '../types.ts';

export type DrawnPlaybook = PlaybookGraph & AboutPlaybook;

/** The event `task` of a rehearsal: how a task ended. */
export type DoneTask = ReturnType<typeof stepJson>;

export interface Rehearsed {
  readonly phase: 'idle' | 'running' | 'ended';
  /** The tasks that have ended, by id. */
  readonly done: Map<string, DoneTask>;
  /** With its result when it has ended. */
  readonly run?: Run;
  readonly problem?: Problem;
}

const idle = (): Rehearsed => ({ phase: 'idle', done: new Map() });

/** The rehearsal of the playbook that is shown. */
export const rehearsed = signal(idle());

let leaving = new AbortController();

/** Forgets the rehearsal; a run that has not ended goes on. */
export function forget(): void {
  leaving.abort();
  leaving = new AbortController();
  rehearsed.value = idle();
}

/** Rehearses a playbook until it ends or the view is left. @param playbook name of a shipped playbook, or YAML */
export async function rehearse(playbook: string, inputs: Readonly<Record<string, unknown>>, dryRun: boolean) {
  forget();
  const { signal: left } = leaving;
  update({ phase: 'running' });
  const headers = { 'idempotency-key': randomKey() };
  try {
    const asked = { method: 'POST', body: { playbook, inputs }, headers, signal: left } as const;
    const run = await sendJson<Run>(`/v1/playbooks/rehearse?dry_run=${dryRun}`, asked);
    update({ run });
    await follow(`/v1/runs/${run.id}/events`, { signal: left, last: 'end', onEvent: take });
  } catch (thrown) {
    if (!left.aborted) update({ phase: 'ended', problem: problemFrom(thrown) });
  }
}

function update(more: Partial<Rehearsed>): void {
  rehearsed.value = { ...rehearsed.value, ...more };
}

let isDrawingSoon = false;

function draw(): void {
  isDrawingSoon = false;
  update({});
}

function take({ event, data }: StreamEvent): void {
  if (event === 'task') {
    rehearsed.value.done.set((data as DoneTask).id, data as DoneTask);
    // Many tasks may end at once, and to draw each of them takes long.
    if (!isDrawingSoon) setTimeout(draw, 50);
    isDrawingSoon = true;
  }
  if (event === 'refused') update({ phase: 'ended', problem: data as Problem });
  if (event === 'end') update({ phase: 'ended', run: data as Run });
}

export function stopRehearsal(): Promise<unknown> {
  const asked = send(`/v1/runs/${rehearsed.value.run?.id}`, { method: 'DELETE' });
  return asked.catch((thrown: unknown) => update({ problem: problemFrom(thrown) }));
}

/** Reports whether a task took a link. */
export function isTaken({ from, branch }: GraphLink, { done }: Rehearsed): boolean {
  const task = done.get(from);
  return task !== undefined && task.outcome !== 'failed' && (task.branch ?? '#none#') === branch;
}

/** Returns the state of a task; an empty text while it waits. */
export function stateOf(id: string, rehearsed: Rehearsed, { tasks, links }: PlaybookGraph) {
  const { phase, done } = rehearsed;
  const ended = done.get(id)?.outcome;
  if (ended !== undefined || phase === 'ended') return ended ?? 'skipped';
  // Now runs the first task that a taken link leads to and whose end is not known.
  const next = links.find((link) => isTaken(link, rehearsed) && !done.has(link.to))?.to;
  return phase === 'running' && (done.size === 0 ? tasks[0]?.id : next) === id ? 'running' : '';
}
