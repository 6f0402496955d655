/** Delivers messages to all listeners over one connection. */
import type { Redis } from 'ioredis';
import type { RedisLink } from './redis.ts';

/** The next message of a channel. */
export interface Ring {
  /** Resolves on the message. */
  readonly rung: Promise<void>;
  isOver(): boolean;
}

export interface Bell {
  /** Returns the next message's promise: get it before you read the announced data. */
  next(): Ring;
  close(): void;
}

export class Bells {
  readonly #subscriber: Redis;
  readonly #listeners = new Map<string, Set<() => void>>();

  private constructor(subscriber: Redis) {
    this.#subscriber = subscriber;
    subscriber.on('message', (channel: string) => {
      for (const ring of this.#listeners.get(channel) ?? []) ring();
    });
  }

  /** Connects. @throws NetworkError if Redis is unreachable */
  static async open(link: RedisLink): Promise<Bells> {
    return new Bells(await link.subscriber());
  }

  /** Listens to a channel. */
  async listen(channel: string): Promise<Bell> {
    let current = newRing();
    const ring = () => {
      const before = current;
      current = newRing();
      before.ring();
    };
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(ring));
    await this.#subscriber.subscribe(channel);
    return {
      next: () => current,
      close: () => {
        listeners.delete(ring);
        if (listeners.size > 0) return;
        this.#listeners.delete(channel);
        this.#subscriber.unsubscribe(channel).catch(() => undefined);
      },
    };
  }

  close(): void {
    this.#subscriber.disconnect();
  }
}

/** Waits for a message, until a time limit or until the signal aborts. */
export function rungWithin({ rung }: Ring, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const leave = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const timer = setTimeout(leave, milliseconds).unref();
    signal?.addEventListener('abort', leave, { once: true });
    void rung.then(leave);
  });
}

function newRing(): Ring & { ring(): void } {
  let isOver = false;
  let resolve: (() => void) | undefined;
  const rung = new Promise<void>((done) => {
    resolve = done;
  });
  return {
    rung,
    isOver: () => isOver,
    ring: () => {
      isOver = true;
      resolve?.();
    },
  };
}
