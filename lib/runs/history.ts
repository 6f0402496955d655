/** The events of one run: the latest are kept, and any number of readers follow. */
import type { RunEvent } from './port.ts';

/** Events that are kept for each run; a reader that comes later misses older ones. */
export const MOST_EVENTS = 1000;

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
  let last = 0;
  let isOver = false;
  let wake = newBell();
  const add = (event: RunEvent['event'], data: unknown) => {
    last += 1;
    events.push({ id: last, event, data });
    if (events.length > MOST_EVENTS) events.shift();
    const waiting = wake;
    wake = newBell();
    waiting.ring();
  };
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
        const { rung } = wake;
        for (const event of events.filter(({ id }) => id > seen)) {
          if (isGone()) return;
          yield event;
          seen = event.id;
        }
        if (isOver && seen >= last) return;
        if (seen < last) continue;
        await untilRung(rung, signal);
      }
    },
  };
}

/** Wakes everybody who waits, once. */
interface Bell {
  readonly rung: Promise<void>;
  ring(): void;
}

function newBell(): Bell {
  let resolve: (() => void) | undefined;
  const rung = new Promise<void>((done) => {
    resolve = done;
  });
  return { rung, ring: () => resolve?.() };
}

async function untilRung(rung: Promise<void>, signal: AbortSignal): Promise<void> {
  const left = newBell();
  signal.addEventListener('abort', left.ring, { once: true });
  await Promise.race([rung, left.rung]);
  signal.removeEventListener('abort', left.ring);
}
