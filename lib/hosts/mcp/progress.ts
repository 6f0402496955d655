/** Progress notifications, at most twice a second. */

/** Time between two notifications, in milliseconds. */
const PAUSE_MS = 500;

export interface Progress {
  /** Tells of a line; within half a second only the last one counts. */
  say(line: string): void;
  /** Sends what is left, and waits until it is written. */
  end(): Promise<void>;
}

/**
 * Throttles notifications.
 * @param send writes one; `progress` counts them, because the protocol wants a number that grows
 */
export function throttled(send: (message: string, progress: number) => Promise<unknown>): Progress {
  let waiting: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let count = 0;
  let sending: Promise<unknown> = Promise.resolve();
  const flush = () => {
    timer = undefined;
    if (waiting === undefined) return;
    const message = waiting;
    waiting = undefined;
    count += 1;
    const progress = count;
    sending = sending.then(() => send(message, progress)).catch(() => undefined);
    timer = setTimeout(flush, PAUSE_MS);
  };
  return {
    say(line) {
      waiting = line;
      if (timer === undefined) flush();
    },
    async end() {
      clearTimeout(timer);
      flush();
      clearTimeout(timer);
      await sending;
      // Some clients lose a notification that arrives in the same read as the result.
      if (count > 0) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
