import type { Clock, HttpRequest } from '../../../lib/core/ports.ts';
import { nodeClock } from '../../../lib/node/clock.ts';
import { InProcessRuns } from '../../../lib/runs/in-process.ts';
import { checkPersistence, type Queue as OpenedQueue, openQueue } from '../../../lib/runs/redis/queue.ts';
import { QueuedRuns } from '../../../lib/runs/redis/runs/runs.ts';
import { TenantRate } from '../../../lib/runs/redis/shards/rate.ts';
import { queueStatus } from '../../../lib/runs/redis/status.ts';
import { startWorker } from '../../../lib/runs/redis/workers/worker.ts';
import { listWorkers } from '../../../lib/runs/redis/workers/workers.ts';
import { machineClock } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';

const redis = redisServer();
const TENANT = 'a'.repeat(32);
const clock = nodeClock();
let opened: OpenedQueue;

beforeEach(async () => {
  await redis.flush();
  opened = await openQueue({ url: redis.url });
});
afterEach(() => opened.close());

const GARBAGE = ['', '\0\xff', 'NaN', '1e300', '-1', 'null', '[]', '{"id":1}', 'x'.repeat(100_000)];
const KEYS = [
  ...['rate', 'next', 'brake', 'labels', 'runs', 'turns'].map((name) => `${name}:${TENANT}`),
  'tenants',
  'worker:x',
];

async function openRuns() {
  const { link, seal } = opened;
  return QueuedRuns.open({
    ...{ link, seal, clock, profile: '', simulates: true },
    local: new InProcessRuns({ perform: async () => ({ result: {}, partial: false }), clock }),
    isLocal: () => false,
    identityOf: async () => TENANT,
  });
}

/** Sends one request under the rate of the tenant. @returns the waits, in milliseconds */
async function waitsOf(): Promise<readonly number[]> {
  const waits: number[] = [];
  let now = 0;
  const still: Clock = {
    ...{ now: () => now, elapsed: () => now, random: () => 0 },
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
  };
  const rate = await TenantRate.join(opened.link, TENANT, still);
  const sent = rate.wrap({ send: async () => ({ status: 200, headers: {}, body: '' }) }, () => undefined);
  await opened.link.client.publish(`aisec:brake:${TENANT}`, 'NaN');
  await sent.send({} as HttpRequest);
  await sent.send({} as HttpRequest);
  rate.close();
  return waits;
}

describeWithRedis('Garbage in Redis', () => {
  scenario.each([
    ...GARBAGE.map((value) => ({ what: JSON.stringify(value.slice(0, 12)), set: ['set', value] })),
    { what: 'a list', set: ['rpush', 'x'] },
    { what: 'a hash', set: ['hset', 'x', 'y'] },
    { what: 'a set with a colon', set: ['sadd', 'a:b'] },
  ])(
    'poisoned-redis',
    'as $what stops neither lists, nor starts, nor requests',
    async ({ set: [command, ...values] }) => {
      const { client } = opened.link;
      for (const key of KEYS) await client.call(command ?? '', `aisec:${key}`, ...values);
      expect(await listWorkers(client)).toEqual([]);
      const waits = await waitsOf();
      expect(waits.every((milliseconds) => milliseconds >= 0 && milliseconds <= 60_000)).toBe(true);
      const runs = await openRuns();
      expect(await runs.list('')).toEqual([]);
      const { id } = await runs.start(OWNER, WORK);
      expect((await runs.list('')).map((run) => run.id)).toEqual([id]);
      expect((await runs.counts()).queued).toBe(1);
      expect((await queueStatus(opened, 0)).queues.some(({ waiting }) => waiting === 1)).toBe(true);
      await runs.close(0);
    },
  );

  scenario('poisoned-redis', 'a pause of a year delays a worker for at most a minute', async () => {
    await opened.link.client.set(`aisec:brake:${TENANT}`, '1', 'PX', 31_536_000_000);
    expect(await waitsOf()).toEqual([60_000]);
  });

  scenario('poisoned-redis', 'an unreadable payload is set aside once', async () => {
    const { link } = opened;
    const { client } = link;
    let attempts = 0;
    const set = new Promise<string>((resolve) => {
      const worker = startWorker<{ id: string }>({
        ...{ link, kind: 'shards', tenant: TENANT, slots: 1, now: machineClock.now },
        handlers: {
          process: async ({ id }) => {
            attempts += 1;
            opened.seal.open(id, Buffer.from('garbage'));
            return 'done';
          },
          onAside: async (_data, reason) => {
            await worker.close();
            resolve(reason);
          },
        },
      });
    });
    const { Queue } = await import('bullmq');
    const queue = new Queue(`shards.${TENANT}`, { connection: client, prefix: 'aisec' });
    await queue.add('shard', { id: 'x' }, { attempts: 5, backoff: { type: 'exponential', delay: 1 } });
    expect(await set).toContain('damaged');
    expect(attempts).toBe(1);
    await queue.close();
  });
});

describeWithRedis('Persistence', () => {
  scenario('aof-checked', 'that Redis does not report is a warning, and refused when strict', async () => {
    await opened.link.client.call('ACL', 'SETUSER', 'default', '-config');
    const warnings: string[] = [];
    await checkPersistence(opened.link, false, (warning) => warnings.push(warning));
    const strict = checkPersistence(opened.link, true, () => undefined);
    await expect(strict).rejects.toThrow('does not report its persistence');
    await opened.link.client.call('ACL', 'SETUSER', 'default', '+config');
    expect(warnings.join()).toContain('does not report its persistence');
  });
});
