/** The open room: its entries, runs and context, kept up to date by its events. */
import { batch, computed, signal } from '@preact/signals';
import { type Asked, follow, problemFrom, type StreamEvent, sendJson } from '../api.ts';
import { login, view } from '../state.ts';
import type { EntryDetail, EntryHead, Problem, Run } from '../types.ts';
import { announce } from './notices.ts';

/** Id of the open room; it stays open while another view is shown. */
export const room = signal<string | undefined>(undefined);
/** Entries, oldest first. */
export const heads = signal<readonly EntryHead[]>([]);
/** Entries that were loaded with their results, by number. */
export const details = signal<ReadonlyMap<number, EntryDetail>>(new Map());
/** Runs of the caller that this page has seen, by id, oldest first. */
export const runs = signal<ReadonlyMap<string, Run>>(new Map());
/** Runs of the room that have not ended. */
export const running = computed(() =>
  [...runs.value.values()].filter((run) => run.session === room.value && isRunning(run)),
);
/** Whether the entries are loaded. */
export const isLoaded = signal(false);
/** Why the room cannot be shown or followed. */
export const problem = signal<Problem | undefined>(undefined);
export const connection = signal<'none' | 'connecting' | 'live' | 'lost'>('none');
/** Counts writes to the context. */
export const writes = signal(0);

/** Id of the last event that the page has. */
let last = '';
let following: AbortController | undefined;

export function isRunning({ state }: Run): boolean {
  return state === 'queued' || state === 'running';
}

/** Shows a room; the room before it is left. */
export function enterRoom(id: string): void {
  if (room.peek() === id) return;
  leaveRoom();
  room.value = id;
  connect();
}

/** Leaves the room, and forgets what was loaded of it. */
export function leaveRoom(): void {
  following?.abort();
  last = '';
  room.value = undefined;
  heads.value = [];
  details.value = new Map();
  isLoaded.value = false;
  problem.value = undefined;
  connection.value = 'none';
}

/** Loads an entry with its result, once. @throws ApiError */
export async function loadDetail(number: number): Promise<EntryDetail> {
  const id = room.peek();
  const known = details.peek().get(number);
  const detail = known ?? (await sendJson<EntryDetail>(pathOf('entries', number)));
  if (known === undefined && room.peek() === id) details.value = new Map(details.peek()).set(number, detail);
  return detail;
}

/** Stars an entry, or removes the star. @throws ApiError */
export async function star(number: number, on: boolean): Promise<void> {
  const { starred } = await sendJson<EntryHead>(pathOf('entries', number), { method: 'POST', body: { starred: on } });
  change([number], { starred });
}

/** Loads the runs of the caller. @throws ApiError */
export async function loadRuns(asked: Asked = {}): Promise<void> {
  const { runs: all } = await sendJson<{ runs: readonly Run[] }>('/v1/runs?limit=200', asked);
  batch(() => all.toReversed().forEach(addRun));
}

/** Stops a run. @throws ApiError */
export async function stopRun(id: string): Promise<void> {
  const run = await sendJson<Run | undefined>(`/v1/runs/${id}`, { method: 'DELETE' });
  if (run !== undefined) addRun(run);
}

/** Returns the path of a part of the room. */
export function pathOf(...parts: readonly (string | number)[]): string {
  return ['/v1/sessions', encodeURIComponent(room.peek() ?? ''), ...parts].join('/');
}

/** Follows the room, and loads it before if necessary; a hidden tab waits. */
export function connect(): void {
  following?.abort();
  if (room.peek() === undefined || login.peek() !== 'in' || document.hidden) return;
  following = new AbortController();
  connection.value = 'connecting';
  problem.value = undefined;
  writes.value = writes.peek() + 1;
  const { signal: ending } = following;
  follow(pathOf('events'), {
    signal: ending,
    from: () => (isLoaded.peek() ? Promise.resolve(last) : load(ending)),
    onEvent: (event) => take(event, ending),
    onConnected: (isConnected) => {
      if (!ending.aborted) connection.value = isConnected ? 'live' : 'lost';
    },
  }).catch((thrown: unknown) => {
    if (ending.aborted) return;
    connection.value = 'none';
    problem.value = problemFrom(thrown);
  });
}

/** Loads entries and runs. @returns the id of the last event that they have @throws ApiError */
async function load(ending: AbortSignal): Promise<string> {
  const asked = { signal: ending };
  try {
    // The entries come first: later events update both.
    const found = await sendJson<{ entries: readonly EntryHead[]; last: number }>(pathOf('entries'), asked);
    await loadRuns(asked);
    last = String(found.last);
    heads.value = found.entries;
    writes.value += 1;
    isLoaded.value = true;
    problem.value = undefined;
    return last;
  } catch (thrown) {
    if (!ending.aborted) problem.value = problemFrom(thrown);
    throw thrown;
  }
}

function take({ id, event, data }: StreamEvent, ending: AbortSignal): void {
  if (ending.aborted) return;
  if (id !== '') last = id;
  if (event === 'entry') addHead(data as EntryHead);
  else if (event === 'run') addRun(data as Run);
  else if (event === 'star') {
    const { number, starred } = data as Pick<EntryHead, 'number' | 'starred'>;
    change([number], { starred });
  } else if (event === 'stale') change((data as { numbers: readonly number[] }).numbers, { stale: true });
  else if (event === 'reset') {
    isLoaded.value = false;
    connect();
  }
}

function addHead(head: EntryHead): void {
  const others = heads.peek().filter(({ number }) => number !== head.number);
  heads.value = [...others, head].toSorted((one, other) => one.number - other.number);
  if (head.wrote.length > 0) writes.value += 1;
  const end = { done: 'finished', partial: 'partly done', failed: 'failed', stopped: 'was stopped' }[head.state];
  announce(`Entry ${head.number} ${end}: ${head.summary}`, view.peek() === 'room');
}

function addRun(run: Run): void {
  const known = runs.peek().get(run.id);
  // The answer to a stop may come after the end of the run.
  if (known !== undefined && !isRunning(known) && isRunning(run)) return;
  runs.value = new Map(runs.peek()).set(run.id, run);
}

function change(numbers: readonly number[], marks: Partial<Pick<EntryHead, 'starred' | 'stale'>>): void {
  heads.value = heads.peek().map((head) => (numbers.includes(head.number) ? { ...head, ...marks } : head));
}

document.addEventListener('visibilitychange', connect);
