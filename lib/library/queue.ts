/** The queue of a client: connected on first use, because most commands have no use for it. */
import type { Shards } from '../bulk/shards.ts';
import type { ClientOptions } from './types.ts';

type QueueOptions = NonNullable<ClientOptions['queue']>;

/** What a client uses of the queue. */
export interface ClientQueue {
  readonly shards: Shards;
  close(): Promise<void>;
}

/** Opens the queue of a profile. @param simulates the work is meant for the simulated service */
export type OpenQueue = (options: QueueOptions, profile: string, simulates: boolean) => ClientQueue;

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
