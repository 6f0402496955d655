/** A playbook as the service draws it, its rehearsal, and what is known about its tasks. */
import { signal } from '@preact/signals';
import type { AboutPlaybook } from '../../lib/playbook/about.ts';
import type { GraphLink, PlaybookGraph } from '../../lib/playbook/graph.ts';
import type { stepJson } from '../../lib/playbook/trace.ts';
import { follow, problemFrom, randomKey, type StreamEvent, sendJson } from '../api.ts';
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

/** The rehearsal of the playbook that was shown last. It goes on while another view is shown. */
export const rehearsed = signal<Rehearsed>({ phase: 'idle', done: new Map() });

let leaving = new AbortController();
let shown = '';

/** Rehearses a playbook. @param playbook name of a shipped playbook, or YAML */
export function rehearse(playbook: string, inputs: Readonly<Record<string, unknown>>, dryRun: boolean): Promise<void> {
  const headers = { 'idempotency-key': randomKey() };
  const asked = { method: 'POST', body: { playbook, inputs }, headers } as const;
  const path = `/v1/playbooks/rehearse?dry_run=${dryRun}`;
  return watch(playbook, 'running', (left) => sendJson<Run>(path, { ...asked, signal: left }));
}

/** Finds the rehearsal of a playbook that still runs, also after the page was loaded again. */
export async function findRehearsal(playbook: string, title: string): Promise<void> {
  if (playbook === shown) return;
  const own = /^[\w-]+$/.test(playbook) ? playbook : null;
  await watch(playbook, 'idle', async (left) => {
    const listed = sendJson<{ runs: readonly Run[] }>('/v1/runs?limit=200', { signal: left });
    const { runs } = await listed.catch(() => ({ runs: [] }));
    return runs.find((run) => run.ended === null && run.playbook?.name === own && run.playbook.title === title);
  });
}

/** Follows a rehearsal until it ends, or until another is watched. */
async function watch(
  playbook: string,
  phase: Rehearsed['phase'],
  start: (left: AbortSignal) => Promise<Run | undefined>,
): Promise<void> {
  leaving.abort();
  leaving = new AbortController();
  const { signal: left } = leaving;
  shown = playbook;
  rehearsed.value = { phase, done: new Map() };
  try {
    const run = await start(left);
    if (run === undefined || left.aborted) return;
    update({ phase: 'running', run });
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
