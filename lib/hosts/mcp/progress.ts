/** Progress notifications, at most twice a second. */

/** Time between two notifications, in milliseconds. */
export const PAUSE_MS = 500;

/** Runs something later. @returns a function that cancels it */
export type Later = (milliseconds: number, run: () => void) => () => void;

/**
 * Throttles notifications.
 * @param send writes one; `progress` counts them, because the protocol wants a number that grows
 */
export function throttled(send: (message: string, progress: number) => Promise<unknown>, later: Later = byTimer) {
  let waiting: string | undefined;
  let cancel: (() => void) | undefined;
  let count = 0;
  let sending: Promise<unknown> = Promise.resolve();
  const flush = () => {
    cancel = undefined;
    if (waiting === undefined) return;
    const message = waiting;
    waiting = undefined;
    count += 1;
    const progress = count;
    sending = sending.then(() => send(message, progress)).catch(() => undefined);
    cancel = later(PAUSE_MS, flush);
  };
  return {
    /** Sends a line; within half a second, only the last line is sent. */
    say(line: string): void {
      waiting = line;
      if (cancel === undefined) flush();
    },
    /** Waits until all sent lines are written. A throttled line is dropped, because the result follows. */
    async end(): Promise<void> {
      cancel?.();
      await sending;
      // Some clients lose a notification that arrives in the same read as the result.
      if (count > 0) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function byTimer(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}
