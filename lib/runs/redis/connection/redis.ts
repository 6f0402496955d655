/** The connection to Redis: it survives restarts of Redis, and the first use reports errors. */
import { once } from 'node:events';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { ConfigurationError, NetworkError } from '../../../core/errors.ts';
import type { QueueAddress } from './address.ts';
import { type Kind, PREFIX, queueName } from './names.ts';
import { within } from './within.ts';

/** Time for the first connection, in milliseconds. */
const CONNECT_MS = 5000;
const MAX_RETRY_MS = 1000;
/** Time for one command where a caller waits for the answer, in milliseconds. */
const COMMAND_MS = 1500;

/** Behaviour of a command while Redis is away: it waits for its return, or fails at once and is never sent. */
export type WhileAway = 'waits' | 'refuses';

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
export async function connectRedis({ url, name }: QueueAddress, whileAway: WhileAway): Promise<RedisLink> {
  const client = newClient(url, whileAway);
  let awaySince: number | undefined = performance.now();
  client.on('ready', () => {
    awaySince = undefined;
  });
  client.on('close', () => {
    awaySince ??= performance.now();
  });
  await firstConnection(client, name);
  const others: Redis[] = [];
  // BullMQ duplicates the connection for commands that block; they must end with it, even without Redis.
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (...options) => {
    const other = duplicate(...options);
    others.push(other);
    return other;
  };
  return {
    client,
    name,
    subscriber: async () => {
      const other = newClient(url, whileAway);
      others.push(other);
      await firstConnection(other, name);
      return other;
    },
    awayMs: () => (awaySince === undefined ? 0 : performance.now() - awaySince),
    start: async () => /run_id:(\w+)/.exec(await client.info('server'))?.[1] ?? '',
    close: async () => {
      await Promise.all([client, ...others].map(disconnected));
    },
  };
}

/** Disconnects. Wait for an open connection: its socket would keep the process for a while. */
async function disconnected(client: Redis): Promise<void> {
  // Disconnecting again starts a timer that keeps the process for two seconds.
  if (client.status === 'end') return;
  const isOpen = client.status === 'ready' || client.status === 'connect';
  const ended = isOpen ? once(client, 'end') : undefined;
  client.disconnect();
  await ended;
}

/** A command that was refused must not be carried out later: neither kept while Redis is away, nor sent once more. */
const REFUSING = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_MS,
} as const;

function newClient(url: string, whileAway: WhileAway): Redis {
  return new Redis(url, {
    lazyConnect: true,
    // Commands wait for a restart of Redis; callers that cannot wait look at awayMs.
    ...(whileAway === 'waits' ? { maxRetriesPerRequest: null } : REFUSING),
    connectTimeout: CONNECT_MS,
    retryStrategy: (times) => Math.min(times * 100, MAX_RETRY_MS),
  });
}

async function firstConnection(client: Redis, name: string): Promise<void> {
  let why = '';
  client.on('error', (error) => {
    why = error.message;
  });
  try {
    await within(CONNECT_MS, () => client.connect().then(() => client.ping()));
  } catch (thrown) {
    // Prevent the next attempt.
    client.options.retryStrategy = () => null;
    client.disconnect();
    throw connectionError(name, why || (thrown instanceof Error ? thrown.message : ''));
  }
}

/** Creates the queue of a tenant over a connection. */
export function jobQueue<Job>({ client }: RedisLink, kind: Kind, tenant: string): Queue<Job> {
  const queue = new Queue<Job>(queueName(kind, tenant), { connection: client, prefix: PREFIX });
  // The connection tries again by itself.
  queue.on('error', () => undefined);
  return queue;
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
