/** Shows runs: progress, time and a button to stop them. */
import { computed, effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { problemFrom, sendJson } from '../api.ts';
import { addressOf, login } from '../state.ts';
import type { EntryHead, Problem, Run } from '../types.ts';
import { announce } from './notices.ts';
import { loadRooms, rooms } from './rooms.ts';
import { enterRoom, heads, isRunning, room, running, runs, stopRun } from './store.ts';
import { durationOf, stateOf } from './words.ts';

/** All runs of the caller, as they were when the view opened. */
const listed = signal<readonly Run[]>([]);
const failure = signal<Problem | undefined>(undefined);
/** Runs that were asked to stop. */
const stopping = signal<ReadonlySet<string>>(new Set());
const now = signal(Date.now());

/** Runs with what the events of the room say, the newest first; those that have not ended come first. */
const all = computed(() => {
  const known = new Map(listed.value.map((run) => [run.id, run]));
  for (const run of runs.value.values()) known.set(run.id, run);
  const sorted = [...known.values()].toSorted((one, other) => other.created.localeCompare(one.created));
  return [...sorted.filter(isRunning), ...sorted.filter((run) => !isRunning(run))];
});

/** Shows the running and ended jobs. */
export function JobsView() {
  useEffect(() => void reload(), []);
  useTicks(all.value.some(isRunning));
  return (
    <div class="jobs">
      <div class="jobs-head">
        <h1>Jobs</h1>
        <button type="button" onClick={() => void reload()}>
          Reload
        </button>
      </div>
      <p class="soft">Runs of the last day. Runs of the open room are shown live.</p>
      {failure.value === undefined ? undefined : <p class="problem">{failure.value.detail}</p>}
      {all.value.length === 0 ? <p>No runs yet. Each line of a room becomes a run.</p> : undefined}
      <ul class="runs">
        {all.value.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </ul>
    </div>
  );
}

/** Shows the runs of the room that have not ended. */
export function RunningRuns() {
  useTicks(running.value.length > 0);
  if (running.value.length === 0) return null;
  return (
    <ul class="runs running" aria-label="Running">
      {running.value.map((run) => (
        <RunRow key={run.id} run={run} />
      ))}
    </ul>
  );
}

function RunRow({ run }: { readonly run: Run }) {
  const { id, command, line, progress, started, ended, created, problem } = run;
  const { icon, word, tone } = stateOf(run.state);
  const head = run.session === room.value ? heads.value.find((each) => each.run === id) : undefined;
  const to = addressOfRun(run, head);
  return (
    <li class="run">
      <span class={`state ${tone}`}>
        <span aria-hidden="true">{icon}</span> {word}
      </span>
      <code class="what" dir="auto" title={line}>
        {line ?? command}
      </code>
      <span class="progress soft" dir="auto">
        {isRunning(run) ? progress : (head?.summary ?? problem?.detail)}
      </span>
      <span class="lasted soft">
        {started === null ? '' : durationOf(Date.parse(ended ?? '') || now.value, Date.parse(started))}
      </span>
      <time class="soft" dateTime={created}>
        {new Date(created).toLocaleTimeString()}
      </time>
      {to === undefined ? undefined : (
        <a href={to}>
          Open<span class="hidden"> {line ?? command}</span>
        </a>
      )}
      {isRunning(run) ? (
        <button type="button" class="danger" disabled={stopping.value.has(id)} onClick={() => void stop(run)}>
          {stopping.value.has(id) ? 'Stopping' : 'Stop'}
          <span class="hidden"> {line ?? command}</span>
        </button>
      ) : undefined}
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

async function stop({ id, line, command }: Run): Promise<void> {
  stopping.value = new Set(stopping.peek()).add(id);
  try {
    await stopRun(id);
    announce(`Stopping ${line ?? command}`);
  } catch (thrown) {
    failure.value = problemFrom(thrown);
    announce(failure.value.detail);
    stopping.value = new Set([...stopping.peek()].filter((each) => each !== id));
  }
}

async function reload(): Promise<void> {
  try {
    const [{ runs: found }] = await Promise.all([
      sendJson<{ runs: readonly Run[] }>('/v1/runs?limit=200'),
      loadRooms(),
    ]);
    listed.value = found;
    failure.value = undefined;
    // Without an open room, the room of a job makes the job live.
    const isOwn = ({ session }: Run) => rooms.value.some(({ id }) => id === session);
    const live = found.find((run) => isRunning(run) && isOwn(run))?.session;
    if (room.peek() === undefined && live !== undefined) enterRoom(live);
  } catch (thrown) {
    failure.value = problemFrom(thrown);
  }
}

/** Keeps the time while something runs and is seen. */
function useTicks(isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return undefined;
    now.value = Date.now();
    const timer = setInterval(() => {
      if (!document.hidden) now.value = Date.now();
    }, 1000);
    return () => clearInterval(timer);
  }, [isWanted]);
}

effect(() => {
  if (login.value === 'out') listed.value = [];
});
