/** The war room: entries, context and the line. */
import { Entries } from '../entries/list.tsx';
import { Line } from '../line/line.tsx';
import { ContextTree } from './context.tsx';

/** Shows the war room. */
export function RoomView() {
  return (
    <div class="room">
      <Entries />
      <ContextTree />
      <Line />
    </div>
  );
}
