import { UsageError } from '../core/errors.ts';
import type { GrowingContext } from '../output/merge.ts';
import type { Result } from '../output/result.ts';
import { invocationOf, parsed, type RunInvocation } from './invocation.ts';
import { structured } from './result.ts';
import type { Session } from './types.ts';

/** Rooms by session: clients with different limits can work in the same room. */
const rooms = new WeakMap<object, GrowingContext>();

/** Continues a session with another way to run commands. @throws UsageError for an object that is not a session */
export function joinSession<Commands extends object>(run: RunInvocation, session: object): Session<Commands> {
  const room = rooms.get(session);
  if (room === undefined) throw new UsageError('Only a session of this library can be joined.');
  return sessionIn(run, room);
}

/** Opens a session in a room: results are merged into its context in order of completion. */
export function sessionIn<Commands extends object>(run: RunInvocation, room: GrowingContext): Session<Commands> {
  const merged = (result: Result) => {
    room.add(result.writes);
    return structured(result);
  };
  const session: Session<Commands> = {
    get context() {
      return room.value;
    },
    // Typed values are data, so references in them are not resolved.
    run: async (name: string, ...[args, call]: readonly unknown[]) => {
      room.checkRoom();
      return merged(await run(invocationOf(name, args === undefined ? {} : args), call ?? {})) as never;
    },
    line: async (text, call = {}) => {
      room.checkRoom();
      return merged(await run(await parsed(text), call, room.value));
    },
  };
  rooms.set(session, room);
  return session;
}
