/** The queue of a client: connected on first use, because most commands do not need it. */

import type { Settings } from '../core/parameters.ts';
import type { Shards } from '../runtime/bulk/shards.ts';
import type { ClientOptions } from './types.ts';

type QueueOptions = NonNullable<ClientOptions['queue']>;

/** The part of the queue that a client uses. */
export interface ClientQueue {
  readonly shards: Shards;
  close(): Promise<void>;
}

/** Owner of the work that a client queues. */
export interface QueueOwner {
  /** Section of the settings file; empty if unnamed. */
  readonly profile: string;
  /** The settings in use, which identify the tenant. */
  readonly settings: Settings;
  /** True if the work is for the simulated service. */
  readonly simulates: boolean;
}

/** Opens the queue of a client. */
export type OpenQueue = (options: QueueOptions, owner: QueueOwner) => ClientQueue;

/** Creates a queue that connects on first use. @param connect @throws NetworkError or ConfigurationError */
export function lazyQueue(connect: (...queue: Parameters<OpenQueue>) => Promise<ClientQueue>): OpenQueue {
  return (...queue) => {
    let opened: Promise<ClientQueue> | undefined;
    const open = () => {
      opened ??= connect(...queue);
      return opened;
    };
    return {
      shards: { open: async (...work) => (await open()).shards.open(...work) },
      close: async () => {
        await (await opened?.catch(() => undefined))?.close();
      },
    };
  };
}
