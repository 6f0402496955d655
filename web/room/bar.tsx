/** Chooses, opens and closes rooms. */
import { signal } from '@preact/signals';
import { Act } from '../entries/act.tsx';
import { ProblemBox } from '../pictures/parts.tsx';
import { goTo } from '../state.ts';
import { closeRoom, forgetRoom, openRoom, rooms } from './rooms.ts';
import { heads, problem, retry, room } from './store.ts';

const isAsking = signal(false);

/** Shows the rooms and their buttons. */
export function RoomBar() {
  const id = room.value ?? '';
  const isListed = rooms.value.some((each) => each.id === id);
  return (
    <div class="room-bar">
      <h1>Room</h1>
      <select aria-label="Open room" value={id} onChange={(event) => goTo('room', event.currentTarget.value)}>
        {isListed ? undefined : <option value={id}>{id.slice(0, 4)}</option>}
        {rooms.value.map((each) => (
          <option key={each.id} value={each.id}>
            {nameOf(each.id, new Date(each.created))}
          </option>
        ))}
      </select>
      <Act on={openRoom}>
        New<span class="word"> room</span>
      </Act>
      {isAsking.value ? (
        <span>
          Close this room and forget its {heads.value.length} entries?{' '}
          <Act class="danger" on={() => answer(true)}>
            Close room
          </Act>{' '}
          <button type="button" ref={(button) => button?.focus()} onClick={() => answer(false)}>
            Keep
          </button>
        </span>
      ) : (
        <Act on={() => (heads.value.length === 0 ? answer(true) : ask())}>
          Close<span class="word"> room</span>
        </Act>
      )}
    </div>
  );
}

/** Shows why the room cannot be shown, with what to do about it. */
export function RoomProblem() {
  if (problem.value === undefined) return null;
  const { status, detail } = problem.value;
  const [text, label, on] =
    status === 404
      ? (['This room does not exist any more.', 'Open another room', forgetRoom] as const)
      : status === 403
        ? ([detail, 'New room', openRoom] as const)
        : ([undefined, 'Try again', retry] as const);
  return (
    <div>
      <ProblemBox problem={text === undefined ? problem.value : { ...problem.value, detail: text, hint: '' }} />
      <Act on={on}>{label}</Act>
    </div>
  );
}

function ask(): void {
  isAsking.value = true;
}

function answer(closes: boolean): void {
  isAsking.value = false;
  if (closes) void closeRoom();
}

/** A room by its time, and the beginning of its id. */
function nameOf(id: string, created: Date): string {
  const day = created.toDateString() === new Date().toDateString() ? {} : ({ dateStyle: 'short' } as const);
  return `${created.toLocaleString([], { ...day, timeStyle: 'short' })} ${id.slice(0, 4)}`;
}
