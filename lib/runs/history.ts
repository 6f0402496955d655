/** The events of one run: the latest are kept, and any number of readers follow. */
import type { RunEvent } from './port.ts';

/** Events that are kept for each run; a reader that comes later misses older ones. */
export const MAX_EVENTS = 1000;

export interface History {
  add(event: RunEvent['event'], data: unknown): void;
  /** Adds the last event; readers end after it. */
  end(data: unknown): void;
  /** Reads on from an event to the end. @param after its id; 0: from the first one that is kept */
  follow(after: number, signal: AbortSignal): AsyncIterable<RunEvent>;
}

/** Creates an empty history. */
export function newHistory(): History {
  const events: RunEvent[] = [];
  const waiting = new Set<() => void>();
  let last = 0;
  let isOver = false;
  const add = (event: RunEvent['event'], data: unknown) => {
    last += 1;
    events.push({ id: last, event, data });
    if (events.length > MAX_EVENTS) events.shift();
    for (const wake of waiting) wake();
  };
  /** Waits for the next event, or for the reader to leave. */
  const untilNext = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  return {
    add,
    end: (data) => {
      isOver = true;
      add('end', data);
    },
    async *follow(after, signal) {
      let seen = after;
      const isGone = () => signal.aborted;
      while (!isGone()) {
        for (const event of events.filter(({ id }) => id > seen)) {
          if (isGone()) return;
          yield event;
          seen = event.id;
        }
        // Events may have come while the reader was busy, or it may have left.
        if (seen < last || isGone()) continue;
        if (isOver) return;
        await untilNext(signal);
      }
    },
  };
}
