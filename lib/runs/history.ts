/** Keeps the latest events of one run, and lets any number of readers follow them. */
import { EventEmitter, once } from 'node:events';
import type { RunEvent } from './port.ts';

/** Maximum events kept for each run; a late reader misses older events. */
export const MAX_EVENTS = 1000;

export class RunHistory {
  readonly #events: RunEvent[] = [];
  readonly #bell = new EventEmitter().setMaxListeners(0);
  #last = 0;
  #isOver = false;

  add(event: RunEvent['event'], data: unknown): void {
    this.#last += 1;
    this.#events.push({ id: this.#last, event, data });
    if (this.#events.length > MAX_EVENTS) this.#events.shift();
    this.#bell.emit('event');
  }

  /** Adds the last event, after which readers end. */
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
      // Events may have arrived while the reader was busy, or the reader may have left.
      if (seen < this.#last || isGone()) continue;
      if (this.#isOver) return;
      // The wait fails when the reader leaves.
      await once(this.#bell, 'event', { signal }).catch(() => undefined);
    }
  }
}
