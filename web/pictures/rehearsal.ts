/** Rehearses a playbook, and follows its tasks. */
import { signal } from '@preact/signals';
import { follow, problemFrom, randomKey, type StreamEvent, send, sendJson } from '../api.ts';
import type { Problem, Run } from '../types.ts';
import type { DoneTask, Rehearsed } from './graph-model.ts';

/** The rehearsal of the playbook that is shown. */
export const rehearsed = signal<Rehearsed>({ phase: 'idle', done: new Map() });
/** The run of the rehearsal; with its result when it has ended. */
export const run = signal<Run | undefined>(undefined);
export const problem = signal<Problem | undefined>(undefined);

let leaving = new AbortController();

/** Forgets the rehearsal; a run that has not ended goes on. */
export function forget(): void {
  leaving.abort();
  leaving = new AbortController();
  rehearsed.value = { phase: 'idle', done: new Map() };
  run.value = undefined;
  problem.value = undefined;
}

/** Rehearses a playbook until it ends or the view is left. @param playbook name of a shipped playbook, or YAML */
export async function rehearse(playbook: string, inputs: Readonly<Record<string, string>>, dryRun: boolean) {
  forget();
  const { signal: left } = leaving;
  rehearsed.value = { phase: 'running', done: new Map() };
  const headers = { 'idempotency-key': randomKey() };
  try {
    const asked = { method: 'POST', body: { playbook, inputs }, headers, signal: left } as const;
    run.value = await sendJson<Run>(`/v1/playbooks/rehearse?dry_run=${dryRun}`, asked);
    await follow(`/v1/runs/${run.value.id}/events`, { signal: left, last: 'end', onEvent: take });
  } catch (thrown) {
    if (!left.aborted) fail(problemFrom(thrown));
  }
}

function take({ event, data }: StreamEvent): void {
  const { phase, done } = rehearsed.value;
  if (event === 'task')
    rehearsed.value = { phase, done: new Map([...done, [(data as DoneTask).id, data as DoneTask]]) };
  if (event === 'refused') fail(data as Problem);
  if (event !== 'end') return;
  run.value = data as Run;
  rehearsed.value = { phase: 'ended', done };
}

function fail(why: Problem): void {
  problem.value = why;
  rehearsed.value = { ...rehearsed.value, phase: 'ended' };
}

/** Stops the rehearsal. */
export async function stopRehearsal(): Promise<void> {
  if (run.value === undefined) return;
  await send(`/v1/runs/${run.value.id}`, { method: 'DELETE' }).catch((thrown: unknown) => fail(problemFrom(thrown)));
}
