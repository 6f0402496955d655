/** The events of one run: the latest are kept, and any number of readers follow. */
import type { RunEvent } from './port.ts';

/** Events that are kept for each run; a reader that comes later misses older events. */
export const MAX_EVENTS = 1000;

export class RunHistory {
  readonly #events: RunEvent[] = [];
  readonly #readers = new Set<() => void>();
  #last = 0;
  #isOver = false;

  add(event: RunEvent['event'], data: unknown): void {
    this.#last += 1;
    this.#events.push({ id: this.#last, event, data });
    if (this.#events.length > MAX_EVENTS) this.#events.shift();
    for (const wake of this.#readers) wake();
  }

  /** Adds the last event; readers end after it. */
  end(data: unknown): void {
    this.#isOver = true;
    this.add('end', data);
  }

  /** Follows the events after an id to the end. @param after id of an event; 0 starts with the first kept event */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    let seen = after;
    const isGone = () => signal.aborted;
    while (!isGone()) {
      for (const event of this.#events.filter(({ id }) => id > seen)) {
        if (isGone()) return;
        yield event;
        seen = event.id;
      }
      // Events may have come while the reader was busy, or it may have left.
      if (seen < this.#last || isGone()) continue;
      if (this.#isOver) return;
      await this.#next(signal);
    }
  }

  /** Waits for the next event, or for the reader to leave. */
  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#readers.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#readers.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
