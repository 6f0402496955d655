/** The queue on Redis: one connection, with the functions of each of its uses. */
import type { Shards } from '../../bulk/shards.ts';
import type { ClientQueue, QueueOwner } from '../../client/queue.ts';
import { SIMULATED_TENANT, tenantIdentity } from '../../node/tenant-identity.ts';
import { type QueueOptions, queueAddress } from './connection/address.ts';
import { connectRedis, type RedisLink, type WhileAway } from './connection/redis.ts';
import { type Seal, sealWith } from './connection/seal.ts';
import { queueShards } from './shards/shards.ts';

export interface Queue {
  readonly link: RedisLink;
  readonly seal: Seal;
  close(): Promise<void>;
}

/**
 * Connects.
 * @param whileAway behaviour of commands while Redis is away
 * @param warn called when Redis goes away, or takes a right from this client
 * @throws ConfigurationError for an address or key that cannot be used, NetworkError if there is no Redis
 */
export async function openQueue(
  options: QueueOptions,
  whileAway: WhileAway = 'waits',
  warn?: (message: string) => void,
): Promise<Queue> {
  const address = queueAddress(options);
  const link = await connectRedis(address, whileAway, warn);
  return { link, seal: sealWith(address.keys), close: link.close };
}

/** Opens the queue for one use, which fails at once while Redis is away. */
export async function withQueue<T>(options: QueueOptions, use: (queue: Queue) => Promise<T>): Promise<T> {
  const queue = await openQueue(options, 'refuses');
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}

/** Opens the queue of a client, for its bulk work. */
export async function clientQueue(options: QueueOptions, owner: QueueOwner): Promise<ClientQueue> {
  const { profile, settings, simulates } = owner;
  const identity = simulates ? SIMULATED_TENANT : await tenantIdentity(settings);
  const { link, seal, close } = await openQueue(options);
  const shards: Shards = queueShards({ link, seal, tenant: { identity, label: profile }, simulates });
  return { shards, close };
}
