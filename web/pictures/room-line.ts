/** Puts a line into the room. */
import { goTo } from '../state.ts';

/** Opens the room with a line, which a person then runs. */
export function putIntoRoom(_line: string): void {
  goTo('room');
}
