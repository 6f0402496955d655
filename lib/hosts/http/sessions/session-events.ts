/** Keeps the latest events of one session, and lets any number of readers follow them. */
import { EventEmitter, once } from 'node:events';
import { MAX_EVENT_BYTES } from '../events/event-stream.ts';
import { detached } from './detached.ts';

/** Maximum number and size of kept events; a reader that missed older ones is told to load the session again. */
const [MAX_EVENTS, MAX_BYTES] = [1000, 1_000_000];

/** An event of a session. Ids count from 1. */
export interface SessionEvent {
  readonly id: number;
  readonly event: 'entry' | 'run' | 'star' | 'stale' | 'reset';
  readonly data: unknown;
}

export class SessionEvents {
  readonly #kept: { readonly event: SessionEvent; readonly bytes: number }[] = [];
  readonly #bell = new EventEmitter().setMaxListeners(0);
  readonly #ending = new AbortController();
  #last = 0;
  #bytes = 0;

  /** Id of the latest event; 0 if there was none. */
  get last(): number {
    return this.#last;
  }

  /** Size of the kept events, in bytes of JSON. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Aborts when the session is closed. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  add(event: Exclude<SessionEvent['event'], 'reset'>, data: unknown): void {
    const { copy, bytes } = detached(data);
    const isLarge = bytes > MAX_EVENT_BYTES;
    this.#last += 1;
    const added: SessionEvent = { id: this.#last, ...(isLarge ? { event: 'reset', data: {} } : { event, data: copy }) };
    this.#kept.push({ event: added, bytes: isLarge ? 0 : bytes });
    this.#bytes += isLarge ? 0 : bytes;
    while (this.#kept.length > MAX_EVENTS || (this.#bytes > MAX_BYTES && this.#kept.length > 1)) {
      this.#bytes -= this.#kept.shift()?.bytes ?? 0;
    }
    this.#bell.emit('event');
  }

  /** Ends all readers. */
  end(): void {
    this.#ending.abort();
  }

  /** Follows the events after an id, until the session is closed. A reader that has missed some gets `reset` first. */
  async *follow(after: number, left: AbortSignal): AsyncGenerator<SessionEvent> {
    const signal = AbortSignal.any([left, this.#ending.signal]);
    const isGone = () => left.aborted;
    let seen = after;
    while (!isGone()) {
      const first = this.#kept[0]?.event.id ?? this.#last + 1;
      if (seen > this.#last || seen < first - 1) {
        seen = this.#last;
        yield { id: seen, event: 'reset', data: {} };
      }
      // The reader may be slow: look again after each event for what was dropped in the meantime.
      const next = this.#kept.find(({ event }) => event.id > seen)?.event;
      if (next !== undefined) {
        yield next;
        seen = next.id;
      } else if (signal.aborted) {
        return;
      } else {
        // The wait fails when the reader leaves.
        await once(this.#bell, 'event', { signal }).catch(() => undefined);
      }
    }
  }
}
