/** Runs while Redis is unreachable, frozen or full: no request hangs, and no refused request takes effect. */

import { documentOf } from '../../../lib/hosts/http/problems.ts';
import { nodeClock } from '../../../lib/node/system/clock.ts';
import { InProcessRuns } from '../../../lib/runs/in-process.ts';
import { BusyError, type Runs } from '../../../lib/runs/port.ts';
import { type Queue as OpenedQueue, openQueue } from '../../../lib/runs/redis/queue.ts';
import { QueuedRuns } from '../../../lib/runs/redis/runs/runs.ts';
import { queueStatus } from '../../../lib/runs/redis/status.ts';
import { machineClock, until } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { never, OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';

const redis = redisServer();
const TENANT = 'a'.repeat(32);
const clock = nodeClock();

interface Asking {
  readonly runs: Runs;
  readonly opened: OpenedQueue;
}

const asking: Asking[] = [];

/** Opens runs as the service does. */
async function ask(): Promise<Asking> {
  const opened = await openQueue({ url: redis.url }, 'refuses');
  const runs = await QueuedRuns.open({
    ...{ link: opened.link, seal: opened.seal, clock, profile: '', simulates: true },
    local: new InProcessRuns({ perform: async () => ({ result: {}, partial: false }), clock }),
    isLocal: () => false,
    identityOf: async () => TENANT,
  });
  asking.push({ runs, opened });
  return { runs, opened };
}

beforeEach(async () => redis.flush());
afterEach(async () => {
  for (const { runs, opened } of asking.splice(0)) {
    await runs.close(0);
    await opened.close();
  }
});

/** Every operation that the service runs on the queue. */
const ASKED: Readonly<Record<string, (runs: Runs) => Promise<unknown>>> = {
  start: (runs) => runs.start(OWNER, WORK),
  list: (runs) => runs.list(''),
  find: (runs) => runs.find('0123456789abcdef01234567'),
  stop: (runs) => runs.stop('0123456789abcdef01234567'),
  remove: (runs) => runs.remove('0123456789abcdef01234567'),
  counts: (runs) => runs.counts(),
  events: async (runs) => {
    for await (const _ of runs.events('0123456789abcdef01234567', 0, never) ?? []) return;
  },
};

const LISTED = ['wait', 'active', 'delayed', 'failed'];

/** Reads the remaining runs and jobs. */
async function left({ runs, opened }: Asking) {
  const jobs = await Promise.all(LISTED.map((list) => opened.link.client.type(`aisec:runs.${TENANT}:${list}`)));
  const { queues } = await queueStatus(opened, clock.now());
  const waiting = queues.reduce((sum, each) => sum + each.waiting + each.active + each.delayed + each.failed, 0);
  return { runs: await runs.list(''), waiting, jobs: jobs.filter((type) => type !== 'none') };
}

const answering = (runs: Runs) => until(async () => (await runs.problem()) === undefined);

describeWithRedis('Without Redis', () => {
  scenario.each([
    { how: 'was killed', away: () => redis.kill(), back: () => redis.start() },
    { how: 'stands still', away: async () => redis.pause(), back: async () => redis.resume() },
  ])(
    'queue-away',
    'that $how, all requests are refused as busy within two seconds, and succeed again later',
    async ({ away, back }) => {
      const { runs } = await ask();
      await runs.start(OWNER, WORK);
      await away();
      try {
        for (const [name, asked] of Object.entries(ASKED)) {
          const since = machineClock.elapsed();
          const thrown = await asked(runs).then(
            () => undefined,
            (error: unknown) => error,
          );
          expect([name, thrown instanceof BusyError && thrown.retryable]).toEqual([name, true]);
          expect([name, machineClock.elapsed() - since < 2000]).toEqual([name, true]);
        }
        expect(await runs.problem()).toBe('queue');
      } finally {
        await back();
      }
      await answering(runs);
      expect((await runs.start(OWNER, WORK)).state).toBe('queued');
    },
    60_000,
  );

  scenario(
    'queue-away',
    'four refused starts never begin after Redis returns, whenever it stopped',
    async () => {
      const asked = await ask();
      const { client } = asked.opened.link;
      await asked.runs.start(OWNER, WORK);
      const before = await left(asked);
      for (const when of ['before', 'after the clock was read']) {
        if (when === 'before') redis.pause();
        else {
          const read = client.time.bind(client);
          client.time = async () => {
            const time = await read();
            redis.pause();
            return time;
          };
        }
        const starts = [1, 2, 3, 4].map(() => asked.runs.start(OWNER, WORK));
        const ended = await Promise.allSettled(starts);
        redis.resume();
        expect(ended.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
        await answering(asked.runs);
        await until(async () => (await left(asked)).waiting === 1);
        expect((await left(asked)).runs.map(({ id }) => id)).toEqual(before.runs.map(({ id }) => id));
      }
    },
    60_000,
  );
});

describeWithRedis('A start that Redis refuses', () => {
  scenario.each([
    { how: 'because it is full', set: ['maxmemory', '1mb'], unset: ['maxmemory', '0'], says: 'no memory' },
    {
      how: 'because it is short of replicas',
      set: ['min-replicas-to-write', '1'],
      unset: ['min-replicas-to-write', '0'],
      says: 'refuses writes',
    },
  ])('start-atomic', '$how leaves no run and no job', async ({ set, unset, says }) => {
    const asked = await ask();
    const { client } = asked.opened.link;
    const kept = await asked.runs.start(OWNER, WORK);
    await client.config('SET', ...(set as [string, string]));
    const thrown: unknown = await asked.runs.start(OWNER, WORK).catch((error: unknown) => error);
    await client.config('SET', ...(unset as [string, string]));
    expect(thrown).toBeInstanceOf(BusyError);
    expect(documentOf(thrown)).toMatchObject({ status: 503, retryable: true });
    expect(documentOf(thrown).detail).toContain(says);
    const found = await left(asked);
    expect([found.runs.map(({ id }) => id), found.waiting]).toEqual([[kept.id], 1]);
    expect(await asked.runs.start(OWNER, WORK)).toMatchObject({ state: 'queued' });
  });

  scenario('start-atomic', 'because the key of its job list has another type leaves no run', async () => {
    const asked = await ask();
    const { client } = asked.opened.link;
    await client.set(`aisec:runs.${TENANT}:prioritized`, 'no set');
    await expect(asked.runs.start(OWNER, WORK)).rejects.toThrow(BusyError);
    await until(async () => (await asked.runs.list('')).length === 0);
    expect(await client.keys('aisec:run:*')).toEqual([]);
  });
});
