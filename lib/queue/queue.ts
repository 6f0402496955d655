/** The queue on Redis: one connection, and what each use of it needs. */
import type { Shards } from '../bulk/shards.ts';
import type { ClientQueue } from '../library/queue.ts';
import { type QueueOptions, queueAddress } from './address.ts';
import { tenantName } from './names.ts';
import { connectRedis, type Patience, type RedisLink } from './redis.ts';
import { type Seal, sealWith } from './seal.ts';
import { queueShards } from './shards.ts';

export interface Queue {
  readonly link: RedisLink;
  readonly seal: Seal;
  close(): Promise<void>;
}

/**
 * Connects.
 * @param patience what commands do while Redis is away
 * @throws ConfigurationError for an address or key that cannot be used, NetworkError if there is no Redis
 */
export async function openQueue(options: QueueOptions, patience: Patience = 'waits'): Promise<Queue> {
  const address = queueAddress(options);
  const link = await connectRedis(address, patience);
  return { link, seal: sealWith(address.keys), close: link.close };
}

/** Opens the queue of a client, for its bulk work. @param profile section of the settings file */
export async function clientQueue(options: QueueOptions, profile: string, simulates: boolean): Promise<ClientQueue> {
  const { link, seal, close } = await openQueue(options);
  const shards: Shards = queueShards({ link, seal, tenant: tenantName(profile), simulates });
  return { shards, close };
}
