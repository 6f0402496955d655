/** Chooses, opens and closes rooms. */
import { signal } from '@preact/signals';
import { goTo } from '../state.ts';
import { closeRoom, forgetRoom, openRoom, rooms } from './rooms.ts';
import { heads, problem, retry, room } from './store.ts';

const isAsking = signal(false);

/** Shows the rooms and their buttons. */
export function RoomBar() {
  const { value: id } = room;
  return (
    <div class="room-bar">
      <h1>Room</h1>
      <label>
        <span class="hidden">Open room</span>
        <select value={id ?? ''} onChange={(event) => goTo('room', event.currentTarget.value)}>
          {rooms.value.some((each) => each.id === id) || id === undefined ? undefined : (
            <option value={id}>{nameOf(id, '')}</option>
          )}
          {rooms.value.map((each) => (
            <option key={each.id} value={each.id}>
              {nameOf(each.id, each.created)}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={() => void openRoom()}>
        New<span class="word"> room</span>
      </button>
      {isAsking.value ? (
        <span class="asking">
          Close this room and forget its {heads.value.length} entries?{' '}
          <button type="button" class="danger" onClick={() => answer(true)}>
            Close room
          </button>{' '}
          <button type="button" ref={(button) => button?.focus()} onClick={() => answer(false)}>
            Keep
          </button>
        </span>
      ) : (
        <button type="button" onClick={() => answer(undefined)}>
          Close<span class="word"> room</span>
        </button>
      )}
    </div>
  );
}

/** Shows why the room cannot be shown, with what to do about it. */
export function RoomProblem() {
  const { value: shown } = problem;
  if (shown === undefined) return null;
  const isGone = shown.status === 404;
  const isRefused = shown.status === 403;
  return (
    <div class="room-problem" role="alert">
      <p class="problem">{isGone ? 'This room does not exist any more.' : shown.detail}</p>
      {isGone || isRefused || shown.hint === undefined ? undefined : <p>{shown.hint}</p>}
      {isGone ? (
        <button type="button" class="primary" onClick={forgetRoom}>
          Open another room
        </button>
      ) : (
        <button type="button" onClick={isRefused ? () => void openRoom() : retry}>
          {isRefused ? 'New room' : 'Try again'}
        </button>
      )}
    </div>
  );
}

/** @param closes undefined asks first */
function answer(closes: boolean | undefined): void {
  isAsking.value = closes === undefined && heads.value.length > 0;
  if (closes === true || (closes === undefined && heads.value.length === 0)) void closeRoom();
}

/** A room by its time, and the beginning of its id. */
function nameOf(id: string, created: string): string {
  const short = id.slice(0, 4);
  if (created === '') return short;
  const [date, today] = [new Date(created), new Date()];
  const isToday = date.toDateString() === today.toDateString();
  return `${date.toLocaleString([], { ...(isToday ? {} : { dateStyle: 'short' }), timeStyle: 'short' })} ${short}`;
}
