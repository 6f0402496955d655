/** Lines are answered in the order entered, one at a time; an interruption ends the one at hand and drops the rest. */
import { setMaxListeners } from 'node:events';

export interface Turns {
  readonly busy: boolean;
  enter(line: string): void;
  /** @returns whether there was something to stop, or it was stopped before and does not end */
  stop(): 'stopped' | 'idle' | 'stuck';
  /** Resolves when every line entered so far is answered. */
  settled(): Promise<void>;
}

/**
 * @param closed ends every turn
 * @param answer must not throw
 * @param next called when there is nothing left to answer
 */
export function takeTurns(
  closed: AbortSignal,
  answer: (line: string, signal: AbortSignal) => Promise<void>,
  next: () => void,
): Turns {
  let current = openTurn(closed);
  let waiting = 0;
  let work = Promise.resolve();
  const done = () => {
    waiting -= 1;
    if (waiting > 0) return;
    if (current.controller.signal.aborted) current = openTurn(closed);
    next();
  };
  return {
    get busy() {
      return waiting > 0;
    },
    enter: (line) => {
      const { signal } = current;
      waiting += 1;
      work = work.then(() => (signal.aborted ? undefined : answer(line, signal))).finally(done);
    },
    stop: () => {
      if (waiting === 0) return 'idle';
      if (current.controller.signal.aborted) return 'stuck';
      current.controller.abort();
      return 'stopped';
    },
    settled: () => work,
  };
}

function openTurn(closed: AbortSignal) {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, closed]);
  // Every request under way listens to it, and there may be many at once.
  setMaxListeners(0, signal);
  return { controller, signal };
}
