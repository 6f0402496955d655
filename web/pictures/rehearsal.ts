/** Rehearses a playbook, and follows its tasks. */
import { signal } from '@preact/signals';
import { follow, problemFrom, randomKey, type StreamEvent, send, sendJson } from '../api.ts';
import type { Problem, Run } from '../types.ts';
import type { DoneTask, Rehearsed } from './graph-model.ts';

const IDLE: Rehearsed = { phase: 'idle', done: new Map() };

/** The rehearsal of the playbook that is shown. */
export const rehearsed = signal(IDLE);

let leaving = new AbortController();

/** Forgets the rehearsal; a run that has not ended goes on. */
export function forget(): void {
  leaving.abort();
  leaving = new AbortController();
  rehearsed.value = IDLE;
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

function take({ event, data }: StreamEvent): void {
  if (event === 'task') update({ done: new Map(rehearsed.value.done).set((data as DoneTask).id, data as DoneTask) });
  if (event === 'refused') update({ phase: 'ended', problem: data as Problem });
  if (event === 'end') update({ phase: 'ended', run: data as Run });
}

/** Stops the rehearsal. */
export async function stopRehearsal(): Promise<void> {
  const { run } = rehearsed.value;
  if (run === undefined) return;
  await send(`/v1/runs/${run.id}`, { method: 'DELETE' }).catch((thrown: unknown) =>
    update({ problem: problemFrom(thrown) }),
  );
}
