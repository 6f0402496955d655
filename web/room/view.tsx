/** The war room: entries, what runs, the line, and the context beside them. */
import { signal, useSignalEffect } from '@preact/signals';
import { Entries } from '../entries/list.tsx';
import { Line } from '../line/line.tsx';
import { place } from '../state.ts';
import { RoomBar, RoomProblem } from './bar.tsx';
import { ContextTree } from './context.tsx';
import { RunningRuns } from './jobs.tsx';
import { showRoom } from './rooms.ts';
import { room } from './store.ts';

const isContextShown = signal(matchMedia('(min-width: 900px)').matches);

/** Shows the war room. */
export function RoomView() {
  useSignalEffect(() => {
    if (place.value[0] === 'room') showRoom();
  });
  return (
    <div class="room">
      <div class="room-bar">
        <RoomBar />
        <button
          type="button"
          aria-expanded={isContextShown.value}
          aria-controls="context"
          onClick={() => {
            isContextShown.value = !isContextShown.value;
          }}
        >
          Context
        </button>
      </div>
      <RoomProblem />
      <div class="room-body">
        <div class="room-main">
          <Entries />
          <RunningRuns />
          <Line />
        </div>
        {isContextShown.value ? <ContextTree key={room.value} /> : undefined}
      </div>
    </div>
  );
}
