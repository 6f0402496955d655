/** Runs input lines one at a time, in order; an interruption stops the running line and drops the queued ones. */
import { setMaxListeners } from 'node:events';

export type LineQueue = ReturnType<typeof createLineQueue>;

/**
 * Creates a queue.
 * @param closed stops every line
 * @param answer runs one line; must not throw
 * @param next called when the queue is empty
 */
export function createLineQueue(
  closed: AbortSignal,
  answer: (line: string, signal: AbortSignal) => Promise<void>,
  next: () => void,
) {
  let current = openBatch(closed);
  let waiting = 0;
  let work = Promise.resolve();
  const done = () => {
    waiting -= 1;
    if (waiting > 0) return;
    if (current.controller.signal.aborted) current = openBatch(closed);
    next();
  };
  return {
    get busy() {
      return waiting > 0;
    },
    /** Further lines wait for the running one. */
    get hasMore() {
      return waiting > 1;
    },
    push: (line: string) => {
      const { signal } = current;
      waiting += 1;
      work = work.then(() => (signal.aborted ? undefined : answer(line, signal))).finally(done);
    },
    /** Stops the running line. @returns `stuck` if an earlier stop has not ended it */
    stop: () => {
      if (waiting === 0) return 'idle';
      if (current.controller.signal.aborted) return 'stuck';
      current.controller.abort();
      return 'stopped';
    },
    /** Resolves when all queued lines are done. */
    settled: () => work,
  };
}

function openBatch(closed: AbortSignal) {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, closed]);
  // Every pending request listens to it, and there may be many.
  setMaxListeners(0, signal);
  return { controller, signal };
}
