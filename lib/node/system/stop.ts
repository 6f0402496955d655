/** Creates stops from an `AbortSignal`, and waits for a signal. */
import type { Stop } from '../../core/ports.ts';

/**
 * Adds at most one listener to the signal, and only while the stop has listeners itself, because the signal may outlive
 * thousands of requests.
 */
export function stopOf(signal: AbortSignal): Stop {
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
    listeners.clear();
  };
  return {
    get stopped() {
      return signal.aborted;
    },
    onStop: (listener) => {
      // Wrapped, so that the same function can be added twice.
      const own = () => listener();
      if (listeners.size === 0) signal.addEventListener('abort', notify, { once: true });
      listeners.add(own);
      return () => {
        listeners.delete(own);
        if (listeners.size === 0) signal.removeEventListener('abort', notify);
      };
    },
  };
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Waits for work; after the signal, waits only for a limited time, because a hanging connection must not keep a stopped
 * program alive.
 */
export async function endedInTime(work: Promise<void>, signal: AbortSignal, leftMs: () => number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = untilAborted(signal).then(
    () =>
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, leftMs());
      }),
  );
  await Promise.race([work, overdue]).finally(() => clearTimeout(timer));
}
