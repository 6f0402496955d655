/** Tells when a message comes, over one connection for all who listen. */
import type { RedisLink } from './redis.ts';

/** The next message of a channel. */
export interface Ring {
  /** Resolves on the message. */
  readonly rung: Promise<void>;
  isOver(): boolean;
}

export interface Bell {
  /** Returns the next ring: take it before you look at what it tells about. */
  next(): Ring;
  close(): void;
}

export interface Bells {
  /** Listens to a channel. */
  listen(channel: string): Promise<Bell>;
  close(): void;
}

/** Connects. @throws NetworkError if there is no Redis */
export async function openBells(link: RedisLink): Promise<Bells> {
  const subscriber = await link.subscriber();
  const listeners = new Map<string, Set<() => void>>();
  subscriber.on('message', (channel: string) => {
    for (const ring of listeners.get(channel) ?? []) ring();
  });
  return {
    listen: async (channel) => {
      let current = newRing();
      const ring = () => {
        const before = current;
        current = newRing();
        before.ring();
      };
      const all = listeners.get(channel) ?? new Set();
      listeners.set(channel, all.add(ring));
      await subscriber.subscribe(channel);
      return {
        next: () => current,
        close: () => {
          all.delete(ring);
          if (all.size > 0) return;
          listeners.delete(channel);
          subscriber.unsubscribe(channel).catch(() => undefined);
        },
      };
    },
    close: () => subscriber.disconnect(),
  };
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
