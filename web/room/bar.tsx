/** Chooses, opens and closes rooms. */
import { useSignal } from '@preact/signals';
import { Act } from '../entries/act.tsx';
import { Ask } from '../line/question.tsx';
import { ProblemBox } from '../pictures/parts.tsx';
import { goTo } from '../state.ts';
import { closeRoom, forgetRoom, openRoom, rooms, showRoom } from './rooms.ts';
import { connect, problem, room } from './store.ts';

export function RoomBar() {
  const isAsking = useSignal(false);
  const id = room.value ?? '';
  const isListed = rooms.value.some((each) => each.id === id);
  const answer = (yes: string | undefined) => {
    isAsking.value = false;
    if (yes !== undefined) void closeRoom();
  };
  return (
    <>
      <h1 class="hidden">Room</h1>
      <select aria-label="Open room" value={id} onChange={(event) => goTo('room', event.currentTarget.value)}>
        {isListed ? undefined : <option value={id}>{id.slice(0, 4)}</option>}
        {rooms.value.map((each) => (
          <option key={each.id} value={each.id}>
            {nameOf(each.id, new Date(each.created))}
          </option>
        ))}
      </select>
      <Act aria-label="New room" on={openRoom}>
        New
      </Act>
      <Act aria-label="Close room" on={() => (isAsking.value = true)}>
        Close
      </Act>
      {isAsking.value ? (
        <Ask words="Close this room and forget its entries?" answers={['Close and forget']} on={answer} />
      ) : undefined}
    </>
  );
}

/** Shows why the room cannot be shown, with what to do about it. */
export function RoomProblem() {
  if (problem.value === undefined) return null;
  const { status } = problem.value;
  return (
    <div>
      <ProblemBox problem={problem.value} />
      {status === 404 ? (
        <Act on={forgetRoom}>Open another room</Act>
      ) : (
        <Act on={room.value === undefined ? showRoom : connect}>Try again</Act>
      )}
    </div>
  );
}

/** A room by its time, and the beginning of its id. */
function nameOf(id: string, created: Date): string {
  const day = created.toDateString() === new Date().toDateString() ? {} : ({ dateStyle: 'short' } as const);
  return `${created.toLocaleString([], { ...day, timeStyle: 'short' })} ${id.slice(0, 4)}`;
}
