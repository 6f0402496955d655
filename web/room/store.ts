/** The open room: its entries, runs and context, kept up to date by its events. */
import { computed, effect, signal } from '@preact/signals';
import { follow, problemFrom, type StreamEvent, sendJson } from '../api.ts';
import { login } from '../state.ts';
import type { EntryDetail, EntryHead, Problem, Run } from '../types.ts';
import { announce } from './notices.ts';

/** Id of the open room; it stays open while another view is shown. */
export const room = signal<string | undefined>(undefined);
/** Entries, oldest first. */
export const heads = signal<readonly EntryHead[]>([]);
/** Entries that were loaded with their results, by number. */
export const details = signal<ReadonlyMap<number, EntryDetail>>(new Map());
/** Runs of the room that this page has seen, by id, oldest first. */
export const runs = signal<ReadonlyMap<string, Run>>(new Map());
/** Runs that have not ended. */
export const running = computed(() => [...runs.value.values()].filter(isRunning));
/** Whether the entries are loaded. */
export const isLoaded = signal(false);
/** Why the room cannot be shown or followed. */
export const problem = signal<Problem | undefined>(undefined);
/** `paused`: the tab is hidden. */
export const connection = signal<'none' | 'connecting' | 'live' | 'lost' | 'paused'>('none');
/** Counts writes to the context. */
export const writes = signal(0);

/** Id of the last event that the page has. */
let last = '';
let following: AbortController | undefined;
const loading = new Map<number, Promise<EntryDetail>>();

/** Reports whether a run has not ended. */
export function isRunning({ state }: Run): boolean {
  return state === 'queued' || state === 'running';
}

/** Shows a room; the room before it is left. */
export function enterRoom(id: string): void {
  if (room.peek() === id) return;
  leaveRoom();
  room.value = id;
  start();
}

/** Leaves the room, and forgets what was loaded of it. */
export function leaveRoom(): void {
  following?.abort();
  following = undefined;
  last = '';
  loading.clear();
  room.value = undefined;
  heads.value = [];
  details.value = new Map();
  runs.value = new Map();
  isLoaded.value = false;
  problem.value = undefined;
  connection.value = 'none';
}

/** Loads an entry with its result, once. @throws ApiError */
export function loadDetail(number: number): Promise<EntryDetail> {
  const known = details.peek().get(number);
  if (known !== undefined) return Promise.resolve(known);
  const found = loading.get(number) ?? fetchDetail(number).finally(() => loading.delete(number));
  loading.set(number, found);
  return found;
}

/** Stars an entry, or removes the star. The star is shown at once. @throws ApiError */
export async function star(number: number, on: boolean): Promise<void> {
  change([number], { starred: on });
  try {
    await sendJson(pathOf('entries', number), { method: 'POST', body: { starred: on } });
  } catch (thrown) {
    change([number], { starred: !on });
    throw thrown;
  }
}

/** Stops a run. @throws ApiError */
export async function stopRun(id: string): Promise<void> {
  const run = await sendJson<Run | undefined>(`/v1/runs/${id}`, { method: 'DELETE' });
  if (run !== undefined) addRun(run);
}

/** Connects again after a problem. */
export function retry(): void {
  problem.value = undefined;
  start();
}

/** Returns the path of a part of the room. */
export function pathOf(...parts: readonly (string | number)[]): string {
  return ['/v1/sessions', encodeURIComponent(room.peek() ?? ''), ...parts].join('/');
}

async function fetchDetail(number: number): Promise<EntryDetail> {
  const id = room.peek();
  const detail = await sendJson<EntryDetail>(pathOf('entries', number));
  if (room.peek() === id) details.value = new Map(details.peek()).set(number, detail);
  return detail;
}

/** Loads the room if necessary, and follows it; a hidden tab waits. */
function start(): void {
  following?.abort();
  following = undefined;
  if (room.peek() === undefined || login.peek() !== 'in') return;
  if (document.hidden) {
    connection.value = 'paused';
    return;
  }
  const current = new AbortController();
  following = current;
  connection.value = 'connecting';
  const { signal: ending } = current;
  void loadAndFollow(ending).catch((thrown: unknown) => {
    if (ending.aborted) return;
    connection.value = 'none';
    problem.value = problemFrom(thrown);
  });
}

/** Pause before a room is loaded again that could not be loaded, in milliseconds. */
const PAUSE_MS = 3000;

async function loadAndFollow(ending: AbortSignal): Promise<void> {
  const isLeft = () => ending.aborted;
  while (!isLoaded.peek() && !isLeft()) {
    try {
      await load(ending);
    } catch (thrown) {
      const found = problemFrom(thrown);
      if (isLeft() || (found.status >= 400 && found.status < 500)) throw thrown;
      problem.value = found;
      connection.value = 'lost';
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
  }
  await follow(pathOf('events'), {
    signal: ending,
    after: last,
    onEvent: (event) => take(event, ending),
    onConnected: (isConnected) => {
      if (ending.aborted) return;
      connection.value = isConnected ? 'live' : 'lost';
    },
  });
}

/** Loads entries and runs. @throws ApiError */
async function load(ending: AbortSignal): Promise<void> {
  const asked = { signal: ending };
  // The entries come first: later events update both.
  const found = await sendJson<{ entries: readonly EntryHead[]; last: number }>(pathOf('entries'), asked);
  const all = await sendJson<{ runs: readonly Run[] }>('/v1/runs?limit=200', asked);
  const known = details.peek();
  last = String(found.last);
  heads.value = found.entries;
  details.value = new Map(
    found.entries.flatMap((head) => {
      const detail = known.get(head.number);
      return detail === undefined ? [] : [[head.number, { ...detail, ...head }] as const];
    }),
  );
  const own = all.runs.filter(({ session }) => session === room.peek()).toReversed();
  runs.value = new Map(own.map((run) => [run.id, run]));
  writes.value += 1;
  isLoaded.value = true;
  problem.value = undefined;
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
    start();
  }
}

function addHead(head: EntryHead): void {
  const others = heads.peek().filter(({ number }) => number !== head.number);
  heads.value = [...others, head].toSorted((one, other) => one.number - other.number);
  if (head.wrote.length > 0) writes.value += 1;
  const end = { done: 'finished', partial: 'partly done', failed: 'failed', stopped: 'was stopped' }[head.state];
  announce(`Entry ${head.number} ${end}: ${head.summary}`);
}

function addRun(run: Run): void {
  const known = runs.peek().get(run.id);
  // The answer to a stop may come after the end of the run.
  if (known !== undefined && !isRunning(known) && isRunning(run)) return;
  runs.value = new Map(runs.peek()).set(run.id, run);
}

/** Changes marks of entries, and of their details. */
function change(numbers: readonly number[], marks: Partial<Pick<EntryHead, 'starred' | 'stale'>>): void {
  const isMeant = new Set(numbers);
  heads.value = heads.peek().map((head) => (isMeant.has(head.number) ? { ...head, ...marks } : head));
  if (!numbers.some((number) => details.peek().has(number))) return;
  details.value = new Map(
    [...details.peek()].map(([number, detail]) => [number, isMeant.has(number) ? { ...detail, ...marks } : detail]),
  );
}

document.addEventListener('visibilitychange', start);
effect(() => {
  // The next person who logs in must see nothing of this one.
  if (login.value !== 'out') return;
  leaveRoom();
  announce('');
});
