/** Rehearses a playbook, and follows its tasks. */
import { signal } from '@preact/signals';
import { follow, problemFrom, send, sendJson } from '../api.ts';
import type { Problem, Run } from '../types.ts';
import type { DoneTask, Rehearsed } from './graph-model.ts';

const IDLE: Rehearsed = { phase: 'idle', done: new Map() };

/** The rehearsal of the playbook that is shown. */
export const rehearsed = signal<Rehearsed>(IDLE);
/** How it ended, for people. */
export const ending = signal<Run | undefined>(undefined);
export const problem = signal<Problem | undefined>(undefined);

let leaving = new AbortController();
let runId: string | undefined;

/** Forgets the rehearsal; a run that has not ended goes on. */
export function forget(): void {
  leaving.abort();
  runId = undefined;
  rehearsed.value = IDLE;
  ending.value = undefined;
  problem.value = undefined;
}

export interface Wanted {
  /** Name of a shipped playbook, or YAML. */
  readonly playbook: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly dryRun: boolean;
}

/** Rehearses a playbook until it ends or the view is left. */
export async function rehearse({ playbook, inputs, dryRun }: Wanted): Promise<void> {
  forget();
  leaving = new AbortController();
  const { signal: left } = leaving;
  rehearsed.value = { phase: 'running', done: new Map() };
  try {
    const run = await sendJson<Run>(`/v1/playbooks/rehearse?dry_run=${dryRun}`, {
      method: 'POST',
      body: { playbook, inputs },
      headers: { 'idempotency-key': crypto.randomUUID() },
      signal: left,
    });
    runId = run.id;
    await follow(`/v1/runs/${run.id}/events`, { signal: left, last: 'end', onEvent: take });
  } catch (thrown) {
    if (left.aborted) return;
    problem.value = problemFrom(thrown);
    rehearsed.value = { ...rehearsed.value, phase: 'ended' };
  }
}

function take({ event, data }: { readonly event: string; readonly data: unknown }): void {
  const { phase, done } = rehearsed.value;
  if (event === 'task') {
    const task = data as DoneTask;
    rehearsed.value = { phase, done: new Map([...done, [task.id, task]]) };
  }
  if (event === 'refused') {
    problem.value = data as Problem;
    rehearsed.value = { phase: 'ended', done };
  }
  if (event === 'end') {
    ending.value = data as Run;
    rehearsed.value = { phase: 'ended', done };
  }
}

/** Stops the rehearsal. */
export async function stopRehearsal(): Promise<void> {
  if (runId === undefined) return;
  await send(`/v1/runs/${runId}`, { method: 'DELETE' }).catch((thrown: unknown) => {
    problem.value = problemFrom(thrown);
  });
}
