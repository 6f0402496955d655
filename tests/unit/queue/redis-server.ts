/** A separate Redis for a test: on a free loopback port, in a temporary folder, with an append-only file. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { environmentOfRealTime } from '../../support/machine.ts';

function isInstalled(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore', env: environmentOfRealTime() });
    return true;
  } catch {
    return false;
  }
}

const HAS_REDIS = isInstalled();
if (!HAS_REDIS)
  console.warn('Tests of the queue are skipped: there is no redis-server (apt-get install redis-server).');

/** `describe` if Redis is installed, otherwise skipped. */
export const describeWithRedis = HAS_REDIS ? describe : describe.skip;

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Kills Redis, as a crash would. */
  kill(): Promise<void>;
  /** Starts Redis again with the same files. */
  start(): Promise<void>;
  /** Freezes Redis, as a swapping machine does, until it is resumed. */
  pause(): void;
  resume(): void;
  /** Forgets everything. */
  flush(): Promise<void>;
  /** All keys and values, as bytes. */
  dump(): Promise<Buffer>;
}

/** Starts a Redis before the tests of a file, and ends it after them. @param options extra options for redis-server */
export function redisServer(...options: string[]): RedisServer {
  const folder = mkdtempSync(join(tmpdir(), 'aisec-redis-'));
  let [port, child]: [number, ChildProcess | undefined] = [0, undefined];
  const server: RedisServer = {
    get port() {
      return port;
    },
    get url() {
      return `redis://127.0.0.1:${port}`;
    },
    kill: async () => {
      const ended = child === undefined ? undefined : once(child, 'exit');
      child?.kill('SIGKILL');
      await ended;
      child = undefined;
    },
    start: async () => {
      port = port === 0 ? await freePort() : port;
      const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
      const kept = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'];
      // Its allocator and faketime deadlock.
      child = spawn('redis-server', [...where, ...kept, ...options], { stdio: 'ignore', env: environmentOfRealTime() });
      const client = new Redis(server.url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
      client.on('error', () => undefined);
      // It answers LOADING while it reads its files.
      while ((await client.ping().catch(() => '')) !== 'PONG') await new Promise((resolve) => setTimeout(resolve, 20));
      client.disconnect();
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    flush: async () => {
      const client = new Redis(server.url);
      await client.flushall();
      client.disconnect();
    },
    dump: async () => {
      const client = new Redis(server.url);
      const chunks: Buffer[] = [];
      for (const key of await client.keys('*')) chunks.push(Buffer.from(key), ...(await valuesOf(client, key)));
      client.disconnect();
      return Buffer.concat(chunks);
    },
  };
  if (HAS_REDIS) beforeAll(() => server.start());
  // The folder is removed last, because a running Redis writes into it.
  afterAll(async () => {
    await server.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  });
  return server;
}

async function valuesOf(client: Redis, key: string): Promise<Buffer[]> {
  const read: Record<string, () => Promise<unknown>> = {
    string: () => client.getBuffer(key),
    hash: () => client.hgetallBuffer(key),
    list: () => client.lrangeBuffer(key, 0, -1),
    set: () => client.smembersBuffer(key),
    zset: () => client.zrangeBuffer(key, 0, '-1'),
    stream: () => client.xrangeBuffer(key, '-', '+'),
  };
  const type = await client.type(key);
  const value = await read[type]?.();
  return flat(value);
}

function flat(value: unknown): Buffer[] {
  if (Buffer.isBuffer(value)) return [value];
  if (Array.isArray(value)) return value.flatMap(flat);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(flat) : [];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
