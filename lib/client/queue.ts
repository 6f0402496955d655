/** The queue of a client: connected on first use, because most commands have no use for it. */
import type { Shards } from '../bulk/shards.ts';
import type { Settings } from '../core/parameters.ts';
import type { ClientOptions } from './types.ts';

type QueueOptions = NonNullable<ClientOptions['queue']>;

/** What a client uses of the queue. */
export interface ClientQueue {
  readonly shards: Shards;
  close(): Promise<void>;
}

/** Whose work a client puts on the queue. */
export interface QueueOwner {
  /** Section of the settings file; empty: none was named. */
  readonly profile: string;
  /** The settings in use, which identify the tenant. */
  readonly settings: Settings;
  /** The work is meant for the simulated service. */
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
