/** Shows runs: progress, time and a button to stop them. */
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { problemFrom, sendJson } from '../api.ts';
import { Act } from '../entries/act.tsx';
import { State } from '../entries/cell.tsx';
import { lineText, spentTime, titleText } from '../entries/cells.ts';
import { Load } from '../pictures/parts.tsx';
import { addressOf } from '../state.ts';
import type { EntryHead, Run } from '../types.ts';
import { announce } from './notices.ts';
import { loadRooms, rooms } from './rooms.ts';
import { enterRoom, heads, isRunning, room, running, runs, stopRun } from './store.ts';

/** The time, while a run is shown that has not ended. */
const now = signal(Date.now());

/** Shows the running and ended jobs. */
export function JobsView() {
  const turn = useSignal(0);
  return (
    <div class="jobs">
      <div class="room-bar">
        <h1>Jobs</h1>
        <Act on={() => (turn.value += 1)}>Reload</Act>
      </div>
      <p class="soft">Runs of the last day. Runs of the open room are shown live.</p>
      <Load key={turn.value} what="the runs" load={loadRuns}>
        {(listed) => <Runs of={withLive(listed)} />}
      </Load>
    </div>
  );
}

/** Shows the runs of the room that have not ended. */
export function RunningRuns() {
  return running.value.length === 0 ? null : <Runs of={running.value} label="Running" />;
}

function Runs({ of, label }: { readonly of: readonly Run[]; readonly label?: string }) {
  const ticks = of.some(isRunning);
  useEffect(() => {
    if (!ticks) return undefined;
    const tick = () => {
      if (!document.hidden) now.value = Date.now();
    };
    tick();
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [ticks]);
  if (of.length === 0) return <p>No runs yet. Each line of a room becomes a run.</p>;
  return (
    <ul class="runs" aria-label={label}>
      {of.map((run) => (
        <RunRow key={run.id} run={run} />
      ))}
    </ul>
  );
}

function RunRow({ run }: { readonly run: Run }) {
  const isStopping = useSignal(false);
  const failure = useSignal<string | undefined>(undefined);
  const { id, command, line = command, progress, started, ended, created, problem } = run;
  const head = run.session === room.value ? heads.value.find((each) => each.run === id) : undefined;
  const to = addressOfRun(run, head);
  const end = ended === null ? now.value : Date.parse(ended);
  const stop = async () => {
    isStopping.value = true;
    announce(`Stopping ${line}`);
    await stopRun(id).catch((thrown: unknown) => {
      failure.value = problemFrom(thrown).detail;
      announce(failure.value);
      isStopping.value = false;
    });
  };
  const latest = isRunning(run) ? (failure.value ?? progress) : (head?.summary ?? problem?.detail);
  return (
    <li class="run">
      <code dir="auto" title={titleText(line)}>
        {lineText(line)}
      </code>
      {to === undefined ? undefined : (
        <a href={to}>
          Open<span class="hidden"> {line}</span>
        </a>
      )}
      {isRunning(run) ? (
        <Act class="danger" disabled={isStopping.value} on={stop}>
          {isStopping.value ? 'Stopping' : 'Stop'}
          <span class="hidden"> {line}</span>
        </Act>
      ) : undefined}
      <p class="soft">
        <State text={run.state} /> {started === null ? '' : spentTime(Math.max(0, end - Date.parse(started)))}
        {' at '}
        <time dateTime={created}>{new Date(created).toLocaleTimeString([], { timeStyle: 'short' })}</time>{' '}
        <bdi>{lineText(latest ?? '')}</bdi>
      </p>
    </li>
  );
}

/** Returns the address of a run's entry, or of its room if that is not the open one. */
function addressOfRun({ session }: Run, head: EntryHead | undefined): string | undefined {
  if (session === undefined) return undefined;
  if (head !== undefined) return addressOf('room', session, head.number);
  // The room may belong to another token, or be closed.
  const isOther = session !== room.value && rooms.value.some(({ id }) => id === session);
  return isOther ? addressOf('room', session) : undefined;
}

/** Loads all runs of the caller. @throws ApiError */
async function loadRuns(signal: AbortSignal): Promise<readonly Run[]> {
  const listed = await sendJson<{ runs: readonly Run[] }>('/v1/runs?limit=200', { signal });
  await loadRooms();
  // Without an open room, the room of a job makes the job live.
  const own = new Set(rooms.peek().map(({ id }) => id));
  const live = listed.runs.find((run) => isRunning(run) && own.has(run.session ?? ''))?.session;
  if (room.peek() === undefined && live !== undefined) enterRoom(live);
  return listed.runs;
}

/** Returns runs with what the events of the room say, the newest first; those that have not ended come first. */
function withLive(listed: readonly Run[]): readonly Run[] {
  const known = new Map([...listed, ...runs.value.values()].map((run) => [run.id, run]));
  const rank = (run: Run) => `${isRunning(run) ? 1 : 0} ${run.created}`;
  return [...known.values()].toSorted((one, other) => rank(other).localeCompare(rank(one)));
}
