import { openQueue } from '../../../lib/runs/redis/queue.ts';
import { newAttempt } from '../../../lib/runs/redis/runs/accepted-runs.ts';
import { RunStore } from '../../../lib/runs/redis/runs/run-store.ts';
import type { PerformSlice } from '../../../lib/runs/redis/runs/run-worker.ts';
import { all, describeRuns, never, OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';
import { newProfile, runsOn, workOn } from './runs-support.ts';

const redis = redisServer();

describeWithRedis('On the queue', () => {
  describeRuns('on the queue', async (work, slots, maxQueued) => {
    const profile = newProfile();
    const runs = await runsOn(redis.url, profile, maxQueued);
    const worker = await workOn(redis.url, profile, work, slots);
    return {
      runs,
      close: async () => {
        await worker.close();
        await runs.close(0);
        await runs.disconnect();
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
    await runs.close(0);
    await runs.disconnect();
  });

  it('a run whose worker dies is repeated only if it reads; the outcome of any other run is unknown', async () => {
    for (const isRepeatable of [true, false]) {
      const profile = newProfile();
      const runs = await runsOn(redis.url, profile);
      const { link, seal, close } = await openQueue({ url: redis.url });
      const store = new RunStore(link.client, seal);
      const run = await runs.start(OWNER, WORK);
      // As a worker leaves it that is killed in the middle.
      const attempt = newAttempt(isRepeatable);
      await store.begin(run.id, '', attempt, { ...run, state: 'running', started: run.created });
      const worker = await workOn(redis.url, profile, async () => ({ result: {}, partial: false }), 1, isRepeatable);
      await all(runs.events(run.id, 0, never));
      const found = await runs.find(run.id);
      expect(found?.state).toBe(isRepeatable ? 'succeeded' : 'unknown');
      if (!isRepeatable) expect(JSON.stringify(found?.error)).toContain('Whether it was carried out is unknown');
      await worker.close();
      await runs.close(0);
      await close();
      await runs.disconnect();
    }
  });
});
