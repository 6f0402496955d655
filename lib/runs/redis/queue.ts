/**
 * Opens the queue on Redis: reads its address, opens one connection for all uses, and warns about data that Redis
 * may lose: without an append-only file a crash loses the runs in progress, and eviction may remove any key.
 */

import type { Redis } from 'ioredis';
import type { ClientQueue, QueueOwner } from '../../client/queue.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { SIMULATED_TENANT, tenantIdentity } from '../../node/settings/tenant-identity.ts';
import type { Shards } from '../../runtime/bulk/shards.ts';
import { within } from './connection/clock.ts';
import { connectRedis, type RedisLink, type WhileAway } from './connection/redis.ts';
import { parseKeys, type QueueKeys, type Seal, sealWith } from './connection/seal.ts';
import { queueShards } from './shards/shards.ts';

export interface Queue {
  readonly link: RedisLink;
  readonly seal: Seal;
  close(): Promise<void>;
}

/**
 * Connects.
 * @param whileAway behaviour of commands while Redis is down
 * @param warn called when Redis goes down or revokes a right of this client
 * @throws ConfigurationError for an invalid address or key, NetworkError if Redis is unreachable
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

/** Opens the queue for one use; commands fail at once while Redis is down. */
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

export interface QueueOptions {
  /** Such as `redis://127.0.0.1:6379`; `rediss:` for TLS. */
  readonly url: string;
  /** `ID:KEY`, with 32 bytes in base64; separate several keys by commas; the first key encrypts. */
  readonly key?: string | undefined;
}

export interface QueueAddress {
  readonly url: string;
  /** Host and port, for messages: a URL may have a password. */
  readonly name: string;
  readonly keys: QueueKeys;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads the address. Over a network, require TLS and encrypted payloads, because payloads contain prompts.
 * @throws ConfigurationError
 */
export function queueAddress({ url, key }: QueueOptions): QueueAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['redis:', 'rediss:'].includes(parsed.protocol) || parsed.hostname === '') {
    throw new ConfigurationError('The address of the queue is not a Redis address.', {
      hint: 'Write it like redis://127.0.0.1:6379, or rediss://queue.example:6379 with TLS.',
    });
  }
  const keys = parseKeys(key);
  const name = `${parsed.hostname}:${parsed.port === '' ? '6379' : parsed.port}`;
  if (!LOOPBACK.test(parsed.hostname)) {
    if (parsed.protocol !== 'rediss:') {
      throw new ConfigurationError(`Redis at ${name} is on another machine, so the connection must use TLS.`, {
        hint: 'Use an address that begins with rediss://.',
      });
    }
    if (keys.size === 0) {
      throw new ConfigurationError(`Redis at ${name} is on another machine, so payloads must be encrypted.`, {
        hint: 'Set AISEC_QUEUE_KEY, the same on all machines: printf "k1:"; openssl rand -base64 32',
      });
    }
  }
  return { url, name, keys };
}

const READ_MS = 2000;
const HINT = 'Start it with: redis-server --appendonly yes --maxmemory-policy noeviction';

/** Returns the value of a setting; undefined if Redis does not report it. */
async function settingOf(client: Redis, name: string): Promise<string | undefined> {
  const [, value] = await client.config('GET', name);
  return value;
}

/** Finds out which data Redis may lose. @returns one sentence for each loss */
async function losses({ client, name }: RedisLink): Promise<readonly string[]> {
  const [appends, policy] = await within(READ_MS, () =>
    Promise.all([settingOf(client, 'appendonly'), settingOf(client, 'maxmemory-policy')]),
  ).catch(() => []);
  if (appends === undefined || policy === undefined) {
    return [`Redis at ${name} does not report its persistence (CONFIG GET): check appendonly and maxmemory-policy.`];
  }
  const found: string[] = [];
  if (appends !== 'yes') {
    found.push(`Redis at ${name} has no append-only file: after a crash it forgets runs, and changes may be repeated.`);
  }
  if (policy !== 'noeviction') {
    found.push(`Redis at ${name} removes keys when its memory is full (${policy.slice(0, 40)}): runs may be lost.`);
  }
  return found;
}

/** Warns of possible data loss. @param isStrict throws instead @throws ConfigurationError */
export async function checkPersistence(
  link: RedisLink,
  isStrict: boolean,
  warn: (message: string) => void,
): Promise<void> {
  const found = await losses(link);
  if (isStrict && found.length > 0) throw new ConfigurationError(found.join(' '), { hint: HINT });
  for (const loss of found) warn(`${loss} ${HINT}`);
}
