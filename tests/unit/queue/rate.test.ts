/** One request rate for a tenant across all workers, and one circuit breaker, whatever Redis contains. */
import type { Clock, HttpRequest, HttpResponse, Transport } from '../../../lib/core/ports.ts';
import { checkPersistence, openQueue, type Queue } from '../../../lib/runs/redis/queue.ts';
import { TenantRate } from '../../../lib/runs/redis/shards/rate.ts';
import { queueStatus } from '../../../lib/runs/redis/status.ts';
import { startWorker } from '../../../lib/runs/redis/workers/worker.ts';
import { listWorkers } from '../../../lib/runs/redis/workers/workers.ts';
import { machineClock } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';
import { identityOf, queueForEach, runsOn } from './runs-support.ts';

const redis = redisServer();

/** A clock that stands still except during waits, so that the schedule does not depend on the machine. */
function recordingClock() {
  const waits: number[] = [];
  let now = 0;
  const clock: Clock = {
    now: () => now,
    elapsed: () => now,
    random: () => 0,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
  };
  return { clock, waits };
}

const request = {} as HttpRequest;
const answering = (response: Partial<HttpResponse>): Transport => ({
  send: async () => ({ status: 200, headers: {}, body: '', ...response }),
});

describeWithRedis('The request rate of a tenant', () => {
  const opened: (Queue | TenantRate)[] = [];
  const join = async (clock: Clock, tenant: string) => {
    const queue = await openQueue({ url: redis.url });
    const rate = await TenantRate.join(queue.link, tenant, clock);
    opened.push(rate, queue);
    return { rate, client: queue.link.client };
  };
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });

  it('is shared evenly: 300 requests of three workers at 100 a second take three seconds', async () => {
    const parts = await Promise.all(
      [0, 1, 2].map(async () => {
        const recording = recordingClock();
        return { ...recording, ...(await join(recording.clock, 'shared')) };
      }),
    );
    await parts[0]?.client.set('aisec:rate:shared', '100');
    const began = machineClock.elapsed();
    // The gaps between the slots are the schedule; the test does not wait for them.
    const places: number[] = [];
    for (let turn = 0; turn < 100; turn += 1) {
      for (const { rate, waits } of parts) {
        const before = waits.length;
        await rate.wrap(answering({}), () => undefined).send(request);
        places.push(waits[before] ?? 0);
      }
    }
    const took = machineClock.elapsed() - began;
    // The last of 300 slots is at 2.99 s, less the slack of two slots and the time of the test itself.
    const last = Math.max(...places);
    expect(last).toBeGreaterThan(2960 - took);
    expect(last).toBeLessThan(3000);
  });

  it('allows everything without a limit', async () => {
    const { clock, waits } = recordingClock();
    const { rate } = await join(clock, 'free');
    for (let turn = 0; turn < 50; turn += 1) await rate.wrap(answering({}), () => undefined).send(request);
    expect(waits).toEqual([]);
  });

  it('is separate for each tenant: neither a limit nor a 429 of another delays a request', async () => {
    const [here, there] = [recordingClock(), recordingClock()];
    const [greedy, other] = [await join(here.clock, 'greedy'), await join(there.clock, 'neighbour')];
    await greedy.client.set('aisec:rate:greedy', '1');
    const pass = greedy.rate.wrap(answering({ status: 429 }), () => undefined);
    for (let turn = 0; turn < 5; turn += 1) await pass.send(request);
    for (let turn = 0; turn < 5; turn += 1) await other.rate.wrap(answering({}), () => undefined).send(request);
    expect([here.waits.length > 0, there.waits]).toEqual([true, []]);
  });

  it('of each job is separate', async () => {
    const { clock, waits } = recordingClock();
    const { rate } = await join(clock, 'own');
    const transport = rate.wrap(answering({}), () => ({ id: 'work', perSecond: 10 }));
    for (let turn = 0; turn < 5; turn += 1) await transport.send(request);
    const other = waits.length;
    await rate.wrap(answering({}), () => undefined).send(request);
    expect(other).toBeGreaterThan(0);
    expect(waits).toHaveLength(other);
  });

  it.each([
    ['of the time that the service asks for', { 'retry-after': '7' }, 7000],
    ['of the longest time of several', { 'retry-after': '3, 3' }, 3000],
    [
      'until the moment that the service names',
      { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT', date: 'Sat, 21 Nov 2026 12:00:10 GMT' },
      20_000,
    ],
    ['of a second', {}, 1000],
    ['of a second for an invalid time', { 'retry-after': '-5' }, 1000],
    ['of a minute at most', { 'retry-after': '86400' }, 60_000],
  ])('a 429 anywhere pauses all workers, %s', async (what, headers, milliseconds) => {
    const [here, there] = [recordingClock(), recordingClock()];
    const [one, other] = [await join(here.clock, what), await join(there.clock, what)];
    await one.rate.wrap(answering({ status: 429, headers }), () => undefined).send(request);
    // Once a later message has arrived, this one has too.
    const pass = other.rate.wrap(answering({}), () => undefined);
    for (let turn = 0; turn < 1000 && there.waits.length === 0; turn += 1) {
      await pass.send(request);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(there.waits[0]).toBe(milliseconds);
    const late = recordingClock();
    await (await join(late.clock, what)).rate.wrap(answering({}), () => undefined).send(request);
    expect(late.waits[0]).toBeGreaterThan(0);
    expect(late.waits[0]).toBeLessThanOrEqual(milliseconds);
  });
});

const PROFILE = 'poisoned';
const TENANT = identityOf(PROFILE);
const opened = queueForEach(redis);

const GARBAGE = ['', '\0\xff', 'NaN', '1e300', '-1', 'null', '[]', '{"id":1}', 'x'.repeat(100_000)];
const KEYS = [
  ...['rate', 'next', 'brake', 'labels', 'runs', 'turns'].map((name) => `${name}:${TENANT}`),
  'tenants',
  'worker:x',
];

/** Sends two requests under the tenant's rate limit. @returns the waits, in milliseconds */
async function waitsOf(): Promise<readonly number[]> {
  const { clock, waits } = recordingClock();
  const rate = await TenantRate.join(opened.link, TENANT, clock);
  const sent = rate.wrap(answering({}), () => undefined);
  await opened.link.client.publish(`aisec:brake:${TENANT}`, 'NaN');
  await sent.send(request);
  await sent.send(request);
  rate.close();
  return waits;
}

describeWithRedis('Garbage in Redis', () => {
  scenario.each([
    ...GARBAGE.map((value) => ({ what: JSON.stringify(value.slice(0, 12)), set: ['set', value] })),
    { what: 'a list', set: ['rpush', 'x'] },
    { what: 'a hash', set: ['hset', 'x', 'y'] },
    { what: 'a set with a colon', set: ['sadd', 'a:b'] },
  ])('poisoned-redis', 'as $what stops no lists, starts or requests', async ({ set: [command, ...values] }) => {
    const { client } = opened.link;
    for (const key of KEYS) await client.call(command ?? '', `aisec:${key}`, ...values);
    expect(await listWorkers(client)).toEqual([]);
    const waits = await waitsOf();
    expect(waits.every((milliseconds) => milliseconds >= 0 && milliseconds <= 60_000)).toBe(true);
    const runs = await runsOn(redis.url, PROFILE);
    expect(await runs.list('')).toEqual([]);
    const { id } = await runs.start(OWNER, WORK);
    expect((await runs.list('')).map((run) => run.id)).toEqual([id]);
    expect((await runs.counts()).queued).toBe(1);
    expect((await queueStatus(opened, 0)).queues.some(({ waiting }) => waiting === 1)).toBe(true);
    await runs.end();
  });

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
