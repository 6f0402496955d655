/** The connection to Redis: it survives restarts of Redis, and connection errors are reported on first use. */
import { once } from 'node:events';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { ConfigurationError, NetworkError } from '../../../core/errors.ts';
import { within } from './clock.ts';
import { type Kind, PREFIX, queueName } from './names.ts';
import { isRefusal, RIGHTS_HINT, refusedOf } from './permissions.ts';

/** Time for the first connection, in milliseconds. */
const CONNECT_MS = 5000;
const MAX_RETRY_MS = 1000;
/** Time limit for one command while a caller waits, in milliseconds. */
const COMMAND_MS = 1500;
/** Time between two checks of the connection and of its rights, in milliseconds. */
const WATCH_MS = 5000;
/** Time for Redis to close a connection that ends, in milliseconds. */
const DISCONNECT_MS = 200;

/** Behaviour of a command while Redis is down: it waits until Redis is back, or fails at once and is never sent. */
export type WhileAway = 'waits' | 'refuses';

export interface RedisLink {
  readonly client: Redis;
  /** A separate connection for messages. */
  readonly subscriber: () => Promise<Redis>;
  /** Milliseconds without a connection; 0 while connected. */
  awayMs(): number;
  /** Returns why this process cannot use the queue: Redis is down, or the process lacks a right. */
  trouble(): Promise<string | undefined>;
  /** Identifies the running Redis process: the value changes at each start of Redis. */
  start(): Promise<string>;
  readonly name: string;
  /** Closes all connections. */
  close(): Promise<void>;
}

/**
 * Connects.
 * @param address messages show its `name`, because a URL may have a password
 * @param warn called with each new problem while the connection is open
 * @throws NetworkError if Redis is unreachable, ConfigurationError if Redis refuses this client, or a right that the client needs
 */
export async function connectRedis(
  { url, name }: { readonly url: string; readonly name: string },
  whileAway: WhileAway,
  warn?: (message: string) => void,
): Promise<RedisLink> {
  const client = newClient(url, whileAway);
  let awaySince: number | undefined = performance.now();
  client.on('ready', () => {
    awaySince = undefined;
  });
  client.on('close', () => {
    awaySince ??= performance.now();
  });
  const why = await firstConnection(client, name);
  const trouble = async () => {
    if (awaySince !== undefined) return `Redis at ${name} does not answer${inBrackets(why())}.`;
    const refused = await within(COMMAND_MS, () => refusedOf(client)).catch(() => '');
    if (refused === '') return `Redis at ${name} does not answer.`;
    return refused === undefined ? undefined : `${refusalText(name, refused)} ${RIGHTS_HINT}`;
  };
  const watch = warn === undefined ? undefined : watchTrouble(trouble, warn);
  const others: Redis[] = [];
  // BullMQ duplicates the connection for commands that block; the duplicates must end with the original, even if Redis is down.
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
      repeatSubscriptions(other);
      others.push(other);
      await firstConnection(other, name);
      return other;
    },
    awayMs: () => (awaySince === undefined ? 0 : performance.now() - awaySince),
    trouble,
    start: async () => /run_id:(\w+)/.exec(await client.info('server'))?.[1] ?? '',
    close: async () => {
      clearInterval(watch);
      await Promise.all([client, ...others].map(disconnected));
    },
  };
}

/**
 * Retries a refused subscription later. The client itself resubscribes after each reconnection, but does not handle a
 * refusal.
 */
function repeatSubscriptions(client: Redis): void {
  const subscribe: (...channels: string[]) => Promise<unknown> = client.subscribe.bind(client);
  const repeated = (...channels: string[]): Promise<unknown> => {
    const done = subscribe(...channels);
    const again = () => void (client.status === 'end' ? undefined : repeated(...channels));
    done.catch(() => setTimeout(again, WATCH_MS).unref());
    return done;
  };
  client.subscribe = repeated as typeof client.subscribe;
}

/** Reports each new problem. */
function watchTrouble(trouble: RedisLink['trouble'], warn: (message: string) => void): NodeJS.Timeout {
  let last: string | undefined;
  const look = async () => {
    const found = await trouble();
    if (found !== undefined && found !== last) warn(found);
    last = found;
  };
  return setInterval(() => void look(), WATCH_MS).unref();
}

/** Disconnects. Wait for an open connection: its socket would keep the process alive for a while. */
async function disconnected(client: Redis): Promise<void> {
  // Disconnecting again starts a timer that keeps the process alive for two seconds.
  if (client.status === 'end') return;
  const isOpen = client.status === 'ready' || client.status === 'connect';
  const ended = isOpen ? once(client, 'end') : undefined;
  client.disconnect();
  await ended;
}

/** A refused command must not be carried out later: do not queue it while Redis is down, and do not resend it. */
const REFUSING = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_MS,
} as const;

function newClient(url: string, whileAway: WhileAway): Redis {
  return new Redis(url, {
    lazyConnect: true,
    // Commands wait for a restart of Redis; callers that cannot wait check awayMs.
    ...(whileAway === 'waits' ? { maxRetriesPerRequest: null } : REFUSING),
    connectTimeout: CONNECT_MS,
    disconnectTimeout: DISCONNECT_MS,
    retryStrategy: (times) => Math.min(times * 100, MAX_RETRY_MS),
  });
}

/** @returns a function that returns the last error of the connection */
async function firstConnection(client: Redis, name: string): Promise<() => string> {
  let why = '';
  client.on('error', (error) => {
    why = error.message;
  });
  try {
    const refused = await within(CONNECT_MS, () => client.connect().then(() => refusedOf(client)));
    why = refused ?? '';
    if (refused !== undefined) throw refusal(name, refused);
    return () => why;
  } catch (thrown) {
    // Prevent the next attempt.
    client.options.retryStrategy = () => null;
    client.disconnect();
    throw connectionError(name, thrown, why);
  }
}

/** Creates the queue of a tenant over a connection. */
export function jobQueue<Job>({ client }: RedisLink, kind: Kind, tenant: string): Queue<Job> {
  const queue = new Queue<Job>(queueName(kind, tenant), { connection: client, prefix: PREFIX });
  // The connection tries again by itself.
  queue.on('error', () => undefined);
  return queue;
}

function refusalText(name: string, why: string): string {
  return `Redis at ${name} refuses this client: ${why.slice(0, 300)}`;
}

function refusal(name: string, why: string): ConfigurationError {
  return new ConfigurationError(refusalText(name, why), { hint: RIGHTS_HINT });
}

function inBrackets(why: string): string {
  return why === '' ? '' : ` (${why.slice(0, 200)})`;
}

function connectionError(name: string, thrown: unknown, last: string) {
  if (thrown instanceof ConfigurationError) return thrown;
  const why = last || (thrown instanceof Error ? thrown.message : '');
  if (isRefusal(why)) return refusal(name, why);
  return new NetworkError(`Cannot reach Redis at ${name}${inBrackets(why)}.`, {
    hint: 'Start it with: redis-server --appendonly yes --maxmemory-policy noeviction',
    sent: false,
  });
}
