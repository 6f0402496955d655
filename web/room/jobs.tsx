/** Shows runs: progress, time and a button to stop them. */
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { follow, problemFrom, type StreamEvent } from '../api.ts';
import { Act } from '../entries/act.tsx';
import { State } from '../entries/cell.tsx';
import { lineText, spentTime, titleText } from '../entries/cells.ts';
import { Ask } from '../line/question.tsx';
import { runLine } from '../line/run.ts';
import { Load } from '../pictures/parts.tsx';
import { addressOf, commands, view } from '../state.ts';
import type { EntryHead, Problem, Run } from '../types.ts';
import { announce } from './notices.ts';
import { loadRooms, rooms } from './rooms.ts';
import { heads, isRunning, loadRuns, room, runs, stopRun } from './store.ts';

/** A line that ended sooner is only in its room. */
const LONG_MS = 3000;
const RELOAD_MS = 5000;
const [STOP, STOP_SCAN] = ['Stop', 'Stop the scan'];

/** The time, for runs that have not ended. */
const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

/** Shows the jobs of the last day: those that have not ended first, then the newest first. */
export function JobsView() {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || loadRuns().catch(() => undefined), RELOAD_MS);
    return () => clearInterval(timer);
  }, []);
  const rank = (run: Run) => `${isRunning(run) ? 1 : 0} ${run.created}`;
  const jobs = [...runs.value.values()]
    .filter((run) => isRunning(run) || run.line === undefined || spentBy(run) >= LONG_MS)
    .toSorted((one, other) => rank(other).localeCompare(rank(one)));
  return (
    <>
      <h1>Jobs</h1>
      <p class="soft">
        Work of the last day that still runs, or took longer than {LONG_MS / 1000} seconds. All scans of the tenant are
        in <a href={addressOf('reports')}>Reports</a>.
      </p>
      <Load what="the jobs" load={() => Promise.all([loadRuns(), loadRooms()])}>
        {() => (jobs.length === 0 ? <p>There are no jobs.</p> : <Runs of={jobs} />)}
      </Load>
    </>
  );
}

/** Shows runs as a list. */
export function Runs({ of, label }: { readonly of: readonly Run[]; readonly label?: string }) {
  return (
    <ul class="runs" aria-label={label}>
      {of.map((run) => (
        <RunRow key={run.id} run={run} />
      ))}
    </ul>
  );
}

function RunRow({ run }: { readonly run: Run }) {
  const phase = useSignal<string | undefined>(undefined);
  const { id, command, line, playbook, state, progress, started, created, problem } = run;
  const head = run.session === room.value ? heads.value.find((each) => each.run === id) : undefined;
  const to = addressOfRun(run, head);
  const name = line ?? (playbook === undefined ? command : `Rehearsal of ${playbook.title}`);
  // The command beside a scan's own stops the scan.
  const mayAbort = commands.value.has((line ?? '').replace(/^!(\S+)-create .*/s, '$1-abort'));
  const answer = async (chosen: string | undefined) => {
    phase.value = chosen === STOP && mayAbort ? 'asking' : chosen && 'stopping';
    if (phase.value !== 'stopping') return;
    announce(`Stopping ${name}`);
    try {
      await (chosen === STOP_SCAN ? stopScan(id) : stopRun(id));
    } catch (thrown) {
      announce(problemFrom(thrown).detail);
      phase.value = undefined;
    }
  };
  const latest = isRunning(run) ? progress : (head?.summary ?? problem?.detail);
  return (
    <li class="run">
      <State text={head?.verdict ?? head?.state ?? (state === 'succeeded' ? 'done' : state)} />
      <code dir="auto" title={titleText(name)}>
        {lineText(name)}
      </code>
      {to === undefined || view.value === 'room' ? undefined : (
        <a href={to}>
          Open<span class="hidden"> {name}</span>
        </a>
      )}
      {isRunning(run) ? (
        <Act class="danger" disabled={phase.value === 'stopping'} on={() => answer(STOP)}>
          {phase.value === 'stopping' ? 'Stopping' : STOP}
          <span class="hidden"> {name}</span>
        </Act>
      ) : undefined}
      <p class="soft">
        {started === null ? '' : spentTime(spentBy(run))}
        {' at '}
        <time dateTime={created}>{new Date(created).toLocaleTimeString([], { timeStyle: 'short' })}</time>{' '}
        <bdi>{lineText(latest ?? '')}</bdi>
      </p>
      {phase.value === 'asking' && isRunning(run) ? (
        <Ask
          words="Without the wait, the scan goes on at the service."
          answers={['Stop waiting', STOP_SCAN]}
          no="Keep waiting"
          on={answer}
        />
      ) : undefined}
    </li>
  );
}

/** The end of a hint; its id comes from the service, so nothing else may follow. */
const ABORT = /End it with (!aisec-[a-z-]+-abort job_id=[0-9a-f-]{36})\.$/;

/** Ends the wait for a scan, then stops the scan by the line that the end of the wait names. @throws ApiError */
async function stopScan(id: string): Promise<void> {
  await stopRun(id);
  let hint = '';
  const onEvent = ({ data }: StreamEvent) => {
    const { result, problem } = data as { result?: { result?: { failure?: Problem } }; problem?: Problem };
    hint = (result?.result?.failure ?? problem)?.hint ?? '';
  };
  await follow(`/v1/runs/${id}/events`, { signal: new AbortController().signal, last: 'end', onEvent });
  const [, abort = ''] = ABORT.exec(hint) ?? [];
  if ((await runLine(abort, false)) === undefined)
    throw new Error('The scan was not stopped: it may have ended. Reports shows its state.');
}

/** Returns the time since the start of a run, or until its end, in milliseconds. */
function spentBy({ started, ended, created }: Run): number {
  return Math.max(0, (ended === null ? now.value : Date.parse(ended)) - Date.parse(started ?? created));
}

/** Returns the address of a run's entry, of its room, or of its playbook. */
function addressOfRun({ session, playbook }: Run, head: EntryHead | undefined): string | undefined {
  if (typeof playbook?.name === 'string') return addressOf('playbooks', playbook.name);
  if (session === undefined) return undefined;
  if (head !== undefined) return addressOf('room', session, head.number);
  // The room may belong to another token, or be closed.
  return rooms.value.some(({ id }) => id === session) ? addressOf('room', session) : undefined;
}
