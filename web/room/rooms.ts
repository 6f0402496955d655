/** The rooms of the caller: lists, opens and closes them. */
import { effect, signal } from '@preact/signals';
import { problemFrom, sendJson } from '../api.ts';
import { addressOf, goTo, login, place } from '../state.ts';
import type { Room } from '../types.ts';
import { enterRoom, leaveRoom, problem, room } from './store.ts';

/** Rooms of the caller, the latest used first. */
export const rooms = signal<readonly Room[]>([]);

/** Loads the list of rooms. @throws ApiError */
export async function loadRooms(): Promise<void> {
  const { sessions } = await sendJson<{ sessions: readonly Room[] }>('/v1/sessions');
  rooms.value = sessions.toSorted((one, other) => other.used.localeCompare(one.used));
}

let isPicking = false;

/** Shows the room of the address; without one, the open room, the latest, or a new one. */
export function showRoom(): void {
  const [, id = room.peek()] = place.peek();
  if (id === undefined) {
    void pickRoom();
    return;
  }
  enterRoom(id);
  name(id);
  void loadRooms().catch(() => undefined);
}

/** Opens a new room. */
export async function openRoom(): Promise<void> {
  try {
    const { id } = await sendJson<Room>('/v1/sessions', { method: 'POST', body: {} });
    goTo('room', id);
  } catch (thrown) {
    problem.value = problemFrom(thrown);
  }
}

/** Closes the open room, and shows another one. */
export async function closeRoom(): Promise<void> {
  const id = room.peek();
  if (id === undefined) return;
  try {
    await sendJson(`/v1/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' });
    forgetRoom();
  } catch (thrown) {
    problem.value = problemFrom(thrown);
  }
}

/** Leaves a room that no longer exists, and shows another one. */
export function forgetRoom(): void {
  leaveRoom();
  place.value = ['room'];
  showRoom();
}

async function pickRoom(): Promise<void> {
  if (isPicking) return;
  isPicking = true;
  try {
    await loadRooms();
    const [latest] = rooms.value;
    const { id } = latest ?? (await sendJson<Room>('/v1/sessions', { method: 'POST', body: {} }));
    if (latest === undefined) await loadRooms();
    // Another view may have been chosen in the meantime.
    if (place.peek()[0] !== 'room' || place.peek()[1] !== undefined) return;
    enterRoom(id);
    name(id);
  } catch (thrown) {
    problem.value = problemFrom(thrown);
  } finally {
    isPicking = false;
  }
}

/** Puts the room into the address without a step in the browser's history. */
function name(id: string): void {
  if (place.peek()[1] !== undefined) return;
  history.replaceState(null, '', addressOf('room', id));
  place.value = ['room', id];
}

effect(() => {
  if (login.value === 'out') rooms.value = [];
});
