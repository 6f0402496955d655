/**
 * Behaviour of all runs, on the queue; and their end, which the owner writes once: until it is known, the state is unknown.
 */
import { CancelledError, NetworkError } from '../../../lib/core/errors.ts';
import { openQueue } from '../../../lib/runs/redis/queue.ts';
import { newAttempt } from '../../../lib/runs/redis/runs/accepted-runs.ts';
import { RunStore } from '../../../lib/runs/redis/runs/run-store.ts';
import type { PerformSlice } from '../../../lib/runs/redis/runs/run-worker.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { all, describeRuns, never, OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';
import { identityOf, newProfile, processorOf, queueForEach, runsOn, workOn } from './runs-support.ts';

const redis = redisServer();
const PROFILE = 'truth';

/** Work that ends when the test says so. */
function heldSlice() {
  let [begin, finish]: [(() => void) | undefined, (() => void) | undefined] = [undefined, undefined];
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const performSlice: PerformSlice = async () => {
    begin?.();
    await finished;
    return { result: { made: 1 }, partial: false };
  };
  return { performSlice, began, finish: () => finish?.() };
}

describeWithRedis('The truth about a run', () => {
  const opened = queueForEach(redis);
  let runs: Awaited<ReturnType<typeof runsOn>>;
  beforeEach(async () => {
    runs = await runsOn(redis.url, PROFILE);
  });
  afterEach(() => runs.end());

  const workerOf = (performSlice: PerformSlice, isRepeatable = false) =>
    processorOf(opened, performSlice, { tenant: identityOf(PROFILE) }, isRepeatable);
  const sent: PerformSlice = async () => Promise.reject(new Error('the change was sent again'));
  const events = async (id: string) => (await all(runs.events(id, 0, never))).map(({ event }) => event);
  const state = async (id: string) => (await runs.find(id))?.state;

  scenario(
    'run-truth',
    'a change whose worker was paused is unknown, then gets its real outcome, and is sent once',
    async () => {
      const { id } = await runs.start(OWNER, WORK);
      const { performSlice, began, finish } = heldSlice();
      const owner = workerOf(performSlice).process({ id });
      await began;
      expect(await workerOf(sent).process({ id })).toBe('done');
      expect(await runs.find(id)).toMatchObject({ state: 'unknown', ended: null, error: { code: 'service' } });
      expect(await events(id)).toEqual(['state', 'state', 'state']);
      finish();
      await owner;
      expect(await runs.find(id)).toMatchObject({ state: 'succeeded', result: { made: 1 } });
      expect((await runs.find(id))?.error).toBeUndefined();
      expect(await events(id)).toEqual(['state', 'state', 'state', 'end']);
    },
  );

  scenario('run-truth', 'a read whose worker was paused is repeated, and only the second outcome counts', async () => {
    const { id } = await runs.start(OWNER, WORK);
    const { performSlice, began, finish } = heldSlice();
    const late = workerOf(performSlice, true).process({ id });
    await began;
    await workerOf(async () => ({ result: { second: true }, partial: false }), true).process({ id });
    finish();
    await late;
    expect(await runs.find(id)).toMatchObject({ state: 'succeeded', result: { second: true } });
    expect((await events(id)).filter((event) => event === 'end')).toHaveLength(1);
  });

  scenario.each([
    { what: 'is stopped while it is sent', thrown: new CancelledError('Stopped.', { outcomeUnknown: true }) },
    { what: 'loses its response', thrown: new NetworkError('Lost.', { outcomeUnknown: true }) },
  ])('run-truth', 'a change that $what is unknown', async ({ thrown }) => {
    const { id } = await runs.start(OWNER, WORK);
    const worker = workerOf(async () => Promise.reject(thrown));
    worker.current.halt('shards');
    await worker.process({ id });
    expect(await state(id)).toBe('unknown');
    expect(await events(id)).toEqual(['state', 'state', 'end']);
  });

  scenario('run-truth', 'stopping a run whose worker was lost does not report that nothing was done', async () => {
    const { id } = await runs.start(OWNER, WORK);
    const { performSlice, began, finish } = heldSlice();
    const owner = workerOf(performSlice).process({ id });
    await began;
    await runs.stop(id);
    expect(await state(id)).toBe('unknown');
    finish();
    await owner;
    expect(await state(id)).toBe('succeeded');
  });

  scenario('run-truth', 'a removed run does not reappear with its late end', async () => {
    const { id } = await runs.start(OWNER, WORK);
    const { performSlice, began, finish } = heldSlice();
    const owner = workerOf(performSlice).process({ id });
    await began;
    await workerOf(sent).process({ id });
    await runs.remove(id);
    finish();
    await owner;
    expect(await runs.find(id)).toBeUndefined();
  });

  scenario('aof-checked', 'a worker never repeats a change of its own that Redis has forgotten', async () => {
    const { id } = await runs.start(OWNER, WORK);
    const { client } = opened.link;
    const stored = await client.dumpBuffer(`aisec:run:${id}:run`);
    let count = 0;
    const worker = workerOf(async () => {
      count += 1;
      return { result: {}, partial: false };
    });
    const work = await client.dumpBuffer(`aisec:run:${id}:work`);
    await worker.process({ id });
    // As after a killed Redis whose last snapshot is older than the attempt.
    await client.del(`aisec:run:${id}:attempt`, `aisec:run:${id}:run`);
    await client.restore(`aisec:run:${id}:run`, 0, stored);
    await client.restore(`aisec:run:${id}:work`, 0, work);
    await worker.process({ id });
    expect([count, await state(id)]).toEqual([1, 'unknown']);
  });
});

describeWithRedis('On the queue', () => {
  beforeAll(() => redis.flush());

  describeRuns('on the queue', async (work, slots, maxQueued) => {
    const profile = newProfile();
    const runs = await runsOn(redis.url, profile, maxQueued);
    const worker = await workOn(redis.url, profile, work, slots);
    return {
      runs,
      close: async () => {
        await worker.close();
        await runs.end();
      },
    };
  });

  it('a run that continues again and again lets each run of another token begin', async () => {
    const profile = newProfile();
    const runs = await runsOn(redis.url, profile);
    let slices = 0;
    const work: PerformSlice = async (_request, { caller }) => {
      if (caller === 'other@') return { result: { slices }, partial: false };
      slices += 1;
      return { waitMs: 0, saved: {}, progress: '', hasNewProgress: false };
    };
    await runs.start(OWNER, WORK);
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.push((await runs.start({ ...OWNER, caller: 'other@' }, WORK)).id);
    }
    const worker = await workOn(redis.url, profile, work, 1);
    for (const id of ids) await all(runs.events(id, 0, never));
    expect(slices).toBeLessThan(50);
    await worker.close();
    await runs.end();
  });

  it('a run whose worker dies is repeated only if it reads; the outcome of any other run is unknown', async () => {
    for (const isRepeatable of [true, false]) {
      const profile = newProfile();
      const runs = await runsOn(redis.url, profile);
      const { link, seal, close } = await openQueue({ url: redis.url });
      const store = new RunStore(link.client, seal);
      const run = await runs.start(OWNER, WORK);
      // As left by a worker that is killed in the middle.
      const attempt = newAttempt(isRepeatable);
      await store.begin(run.id, '', attempt, { ...run, state: 'running', started: run.created });
      const worker = await workOn(redis.url, profile, async () => ({ result: {}, partial: false }), 1, isRepeatable);
      await all(runs.events(run.id, 0, never));
      const found = await runs.find(run.id);
      expect(found?.state).toBe(isRepeatable ? 'succeeded' : 'unknown');
      if (!isRepeatable) expect(JSON.stringify(found?.error)).toContain('Whether it was carried out is unknown');
      await worker.close();
      await runs.end();
      await close();
    }
  });
});
