/** The war room: entries, what runs, the line, and the context beside them. */
import { signal, useSignalEffect } from '@preact/signals';
import { Act } from '../entries/act.tsx';
import { Entries } from '../entries/list.tsx';
import { Line } from '../line/line.tsx';
import { place } from '../state.ts';
import { RoomBar, RoomProblem } from './bar.tsx';
import { ContextTree } from './context.tsx';
import { Runs } from './jobs.tsx';
import { showRoom } from './rooms.ts';
import { room, running } from './store.ts';

/** Whether the context has a place beside the entries. */
const wide = matchMedia('(min-width: 900px)');
const isContextShown = signal(wide.matches);
wide.onchange = () => (isContextShown.value = wide.matches);

export function RoomView() {
  useSignalEffect(() => {
    if (place.value[0] === 'room') showRoom();
  });
  return (
    <div class="room">
      <div class="room-bar">
        <RoomBar />
        <Act
          aria-expanded={isContextShown.value}
          aria-controls="context"
          on={() => (isContextShown.value = !isContextShown.value)}
        >
          Context
        </Act>
      </div>
      <RoomProblem />
      <div class="room-body">
        <div class="room-main">
          <Entries />
          <Runs of={running.value} label="Running" />
          <Line />
        </div>
        {isContextShown.value ? <ContextTree key={room.value} /> : undefined}
      </div>
    </div>
  );
}
