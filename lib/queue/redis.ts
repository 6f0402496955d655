/** The connection to Redis: it outlives restarts of Redis, and says what is wrong at the first use. */
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { ConfigurationError, NetworkError } from '../errors.ts';
import type { QueueAddress } from './address.ts';

/** Time for the first connection, in milliseconds. */
const CONNECT_MS = 5000;
const LONGEST_RETRY_MS = 1000;

export interface RedisLink {
  readonly client: Redis;
  /** A connection of its own for messages. */
  readonly subscriber: () => Promise<Redis>;
  /** Milliseconds without a connection; 0 while there is one. */
  awayMs(): number;
  /** Identifies this start of Redis. */
  start(): Promise<string>;
  readonly name: string;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Connects. @throws NetworkError if there is no Redis, ConfigurationError if it refuses this client */
export async function connectRedis({ url, name }: QueueAddress): Promise<RedisLink> {
  const client = newClient(url);
  let awaySince: number | undefined = performance.now();
  client.on('ready', () => {
    awaySince = undefined;
  });
  client.on('close', () => {
    awaySince ??= performance.now();
  });
  await firstConnection(client, name);
  const subscribers: Redis[] = [];
  return {
    client,
    name,
    subscriber: async () => {
      const other = newClient(url);
      subscribers.push(other);
      await firstConnection(other, name);
      return other;
    },
    awayMs: () => (awaySince === undefined ? 0 : performance.now() - awaySince),
    start: async () => /run_id:(\w+)/.exec(await client.info('server'))?.[1] ?? '',
    close: async () => {
      await Promise.all([client, ...subscribers].map(disconnected));
    },
  };
}

/** Disconnects. A connection that is open is waited for: its socket would keep the process for a while. */
async function disconnected(client: Redis): Promise<void> {
  const isOpen = client.status === 'ready' || client.status === 'connect';
  const ended = isOpen ? once(client, 'end') : undefined;
  client.disconnect();
  await ended;
}

function newClient(url: string): Redis {
  return new Redis(url, {
    lazyConnect: true,
    // Commands wait for a restart of Redis; whoever cannot wait looks at awayMs.
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_MS,
    retryStrategy: (times) => Math.min(times * 100, LONGEST_RETRY_MS),
  });
}

async function firstConnection(client: Redis, name: string): Promise<void> {
  let why = '';
  client.on('error', (error) => {
    why = error.message;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('time-out')), CONNECT_MS);
  });
  try {
    await Promise.race([client.connect(), late]);
    await client.ping();
  } catch (thrown) {
    // It is about to try again.
    client.options.retryStrategy = () => null;
    client.disconnect();
    throw connectionError(name, why || (thrown instanceof Error ? thrown.message : ''));
  } finally {
    clearTimeout(timer);
  }
}

function connectionError(name: string, why: string) {
  if (/NOAUTH|WRONGPASS|NOPERM/.test(why)) {
    return new ConfigurationError(`Redis at ${name} refuses this client: ${why.slice(0, 200)}`, {
      hint: 'Put user and password into the address of the queue: redis://USER:PASSWORD@HOST:PORT',
    });
  }
  return new NetworkError(`There is no Redis at ${name}${why === '' ? '' : ` (${why.slice(0, 200)})`}.`, {
    hint: 'Start it with: redis-server --appendonly yes --maxmemory-policy noeviction',
    sent: false,
  });
}
