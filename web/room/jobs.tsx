/** Shows runs: progress, time and a button to stop them. */
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { follow, problemFrom, type StreamEvent } from '../api.ts';
import { Act } from '../entries/act.tsx';
import { State } from '../entries/cell.tsx';
import { lineText, spentTime, titleText } from '../entries/cells.ts';
import { Ask } from '../line/question.tsx';
import { runLine } from '../line/run.ts';
import { commandIn, hintParts } from '../line/text.ts';
import { Load } from '../pictures/parts.tsx';
import { addressOf, commands, view } from '../state.ts';
import type { EntryHead, Problem, Run } from '../types.ts';
import { announce } from './notices.ts';
import { loadRooms, rooms } from './rooms.ts';
import { heads, isRunning, loadRuns, room, running, runs, stopRun } from './store.ts';

/** A line that ended sooner is only in its room. */
const LONG_MS = 3000;
const RELOAD_MS = 5000;

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

/** Shows the runs of the room that have not ended. */
export function RunningRuns() {
  return running.value.length === 0 ? null : <Runs of={running.value} label="Running" />;
}

function Runs({ of, label }: { readonly of: readonly Run[]; readonly label?: string }) {
  return (
    <ul class="runs" aria-label={label}>
      {of.map((run) => (
        <RunRow key={run.id} run={run} />
      ))}
    </ul>
  );
}

function RunRow({ run }: { readonly run: Run }) {
  const phase = useSignal<'asking' | 'stopping' | undefined>(undefined);
  const { id, progress, started, created, problem } = run;
  const head = run.session === room.value ? heads.value.find((each) => each.run === id) : undefined;
  const to = addressOfRun(run, head);
  const name = nameOf(run);
  const abort = abortOf(run);
  const answer = async (chosen: string | undefined) => {
    phase.value = chosen === undefined ? undefined : 'stopping';
    if (chosen === undefined) return;
    announce(`Stopping ${name}`);
    try {
      await (chosen === STOP_SCAN ? stopScan(id, abort) : stopRun(id));
    } catch (thrown) {
      announce(problemFrom(thrown).detail);
      phase.value = undefined;
    }
  };
  const ask = () => {
    if (abort === undefined) return answer('Stop');
    phase.value = 'asking';
    return undefined;
  };
  const latest = isRunning(run) ? progress : (head?.summary ?? problem?.detail);
  return (
    <li class="run">
      <State text={head?.verdict ?? head?.state ?? (run.state === 'succeeded' ? 'done' : run.state)} />
      <code dir="auto" title={titleText(name)}>
        {lineText(name)}
      </code>
      {to === undefined || view.value === 'room' ? undefined : (
        <a href={to}>
          Open<span class="hidden"> {name}</span>
        </a>
      )}
      {isRunning(run) ? (
        <Act class="danger" disabled={phase.value !== undefined} on={ask}>
          {phase.value === 'stopping' ? 'Stopping' : 'Stop'}
          <span class="hidden"> {name}</span>
        </Act>
      ) : undefined}
      <p class="soft">
        {started === null ? '' : spentTime(spentBy(run))}
        {' at '}
        <time dateTime={created}>{new Date(created).toLocaleTimeString([], { timeStyle: 'short' })}</time>{' '}
        <bdi>{lineText(latest ?? '')}</bdi>
      </p>
      {phase.value === 'asking' ? (
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

const STOP_SCAN = 'Stop the scan';

/** Returns the command that stops what a command has created, if there is one that the caller may run. */
function abortOf({ line = '' }: Run): string | undefined {
  const name = commandIn(line).replace(/-create$/, '-abort');
  return name.endsWith('-abort') && commands.value.has(name) ? name : undefined;
}

/** Ends the wait for a scan, then stops the scan by the line that the end of the wait names. @throws ApiError */
async function stopScan(id: string, abort: string | undefined): Promise<void> {
  await stopRun(id);
  let hint = '';
  const onEvent = ({ data }: StreamEvent) => {
    const { result, problem } = data as { result?: { result?: { failure?: Problem } }; problem?: Problem };
    hint = (result?.result?.failure ?? problem)?.hint ?? '';
  };
  await follow(`/v1/runs/${id}/events`, { signal: new AbortController().signal, last: 'end', onEvent });
  for (const part of hintParts(hint, (name) => name === abort)) if ('line' in part) await runLine(part.line);
}

/** Returns what a person calls a run: its line, its playbook or its command. */
function nameOf({ command, line, playbook }: Run): string {
  return line ?? (playbook === undefined ? command : `Rehearsal of ${playbook.title}`);
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
