/** One rate for a tenant over all workers, and one brake. */
import type { Clock, HttpRequest, HttpResponse, Transport } from '../../../lib/core/ports.ts';
import { openQueue, type Queue } from '../../../lib/runs/redis/queue.ts';
import { TenantRate } from '../../../lib/runs/redis/shards/rate.ts';
import { machineClock } from '../../support/machine.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';

const redis = redisServer();

/** A clock that stands still but for waits, so that the schedule does not depend on the machine. */
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

describeWithRedis('The rate of a tenant', () => {
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
    // The distances of the slots are the schedule; the test does not wait for them.
    const places: number[] = [];
    for (let turn = 0; turn < 100; turn += 1) {
      for (const { rate, waits } of parts) {
        const before = waits.length;
        await rate.wrap(answering({}), () => undefined).send(request);
        places.push(waits[before] ?? 0);
      }
    }
    const took = machineClock.elapsed() - began;
    // The last of 300 has its place after 2.99 s, less the slack of two, and the time that the test itself took.
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
    ['of a second for a time that says nothing', { 'retry-after': '-5' }, 1000],
    ['of a minute at most', { 'retry-after': '86400' }, 60_000],
  ])('a 429 anywhere pauses all workers, %s', async (what, headers, milliseconds) => {
    const [here, there] = [recordingClock(), recordingClock()];
    const [one, other] = [await join(here.clock, what), await join(there.clock, what)];
    await one.rate.wrap(answering({ status: 429, headers }), () => undefined).send(request);
    // The message has arrived once a later message has.
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
