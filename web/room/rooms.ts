/** The rooms of the caller: lists, opens and closes them. */
import { signal } from '@preact/signals';
import { problemFrom, sendJson } from '../api.ts';
import { addressOf, goTo, place } from '../state.ts';
import type { Room } from '../types.ts';
import { attempt } from './notices.ts';
import { enterRoom, leaveRoom, pathOf, problem, room } from './store.ts';

/** Rooms of the caller, the latest used first. */
export const rooms = signal<readonly Room[]>([]);

/** Loads the list of rooms. @throws ApiError */
export async function loadRooms(): Promise<void> {
  const { sessions } = await sendJson<{ sessions: readonly Room[] }>('/v1/sessions');
  rooms.value = sessions.toSorted((one, other) => other.used.localeCompare(one.used));
}

/** Shows the room of the address; without one, the open room, the latest, or a new one. */
export function showRoom(): void {
  const [, id] = place.peek();
  if (id === undefined) {
    pickRoom().catch((thrown: unknown) => (problem.value = problemFrom(thrown)));
    return;
  }
  enterRoom(id);
  void loadRooms().catch(() => undefined);
}

export function openRoom(): Promise<void> {
  return attempt(async () => goTo('room', await createRoom()));
}

/** Closes the open room, and shows another one. */
export function closeRoom(): Promise<void> {
  return attempt(async () => {
    await sendJson(pathOf(), { method: 'DELETE' });
    forgetRoom();
  });
}

/** Leaves a room that no longer exists, and shows another one. */
export function forgetRoom(): void {
  leaveRoom();
  place.value = ['room'];
}

/** Opens a new room. @returns its id @throws ApiError */
async function createRoom(): Promise<string> {
  return (await sendJson<Room>('/v1/sessions', { method: 'POST', body: {} })).id;
}

/** The id of the room that is being found: a view or a line may ask again before. */
let finding: Promise<string> | undefined;

/** Opens the latest room or a new one, unless a room is open. @returns its id @throws ApiError */
export async function roomOpened(): Promise<string> {
  finding ??= findRoom().finally(() => (finding = undefined));
  const id = await finding;
  // An address may have named another room in the meantime.
  if (room.peek() === undefined) enterRoom(id);
  return room.peek() ?? id;
}

async function pickRoom(): Promise<void> {
  if (problem.peek()?.status === 404) leaveRoom();
  const id = await roomOpened();
  // Another view may have been chosen in the meantime. The address is no step of its own in the browser's history.
  if (place.peek().join('/') === 'room') location.replace(addressOf('room', id));
}

async function findRoom(): Promise<string> {
  if (room.peek() === undefined) await loadRooms();
  return room.peek() ?? rooms.peek()[0]?.id ?? createRoom();
}
