/**
 * Behaviour that needs the queue: hundreds of waiting runs, runs that outlive their process, and runs that release
 * their worker.
 */

import type { Run } from '../../../lib/runs/port.ts';
import type { PerformSlice } from '../../../lib/runs/redis/runs/run-worker.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { all, never, OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';
import { newProfile, runsOn, workOn } from './runs-support.ts';

const redis = redisServer();

describeWithRedis('On the queue', () => {
  it('two hundred waiting runs all continue on two workers with four slots', async () => {
    const profile = newProfile();
    const runs = await runsOn(redis.url, profile);
    let [working, most] = [0, 0];
    // Ten steps for each run, with no worker in between.
    const performSlice: PerformSlice = async (_work, _owner, _reports, saved) => {
      working += 1;
      most = Math.max(most, working);
      await new Promise((resolve) => setTimeout(resolve, 1));
      working -= 1;
      const step = Number(saved?.['step'] ?? 0) + 1;
      if (step === 10) return { result: { step }, partial: false };
      return { waitMs: 20, progress: `step ${step}`, hasNewProgress: true, saved: { step } };
    };
    const workers = [
      await workOn(redis.url, profile, performSlice, 4),
      await workOn(redis.url, profile, performSlice, 4),
    ];
    const started = [];
    for (let each = 0; each < 200; each += 1) started.push(await runs.start(OWNER, WORK));
    for (const { id } of started) {
      const events = await all(runs.events(id, 0, never));
      expect(events.map(({ event }) => event)).toEqual(['state', 'state', ...Array(9).fill('progress'), 'end']);
    }
    expect(most).toBeLessThanOrEqual(8);
    expect((await runs.list('')).every(({ state }) => state === 'succeeded')).toBe(true);
    await Promise.all(workers.map((worker) => worker.close()));
    await runs.end();
  });

  scenario(
    'run-kept',
    'a token at its limit is refused, keeps its accepted runs, and leaves room for other tokens',
    async () => {
      const runs = await runsOn(redis.url, newProfile());
      const accepted: Run[] = [];
      while (accepted.length < 1000) {
        accepted.push(...(await Promise.all(Array.from({ length: 20 }, () => runs.start(OWNER, WORK)))));
      }
      await expect(runs.start(OWNER, WORK)).rejects.toMatchObject({ code: 'quota' });
      const other = await runs.start({ ...OWNER, caller: 'other@' }, WORK);
      const [first = other] = accepted;
      for (const { id } of [first, other]) expect(await runs.find(id)).toMatchObject({ state: 'queued' });
      expect(await runs.list('', OWNER.caller)).toHaveLength(1000);
      expect((await runs.list('', 'other@')).map(({ id }) => id)).toEqual([other.id]);
      await runs.stop(first.id);
      expect((await runs.start(OWNER, WORK)).state).toBe('queued');
      await runs.end();
    },
  );

  it('a run continues from its checkpoint after a restart of everything, with a kill -9 of Redis', async () => {
    const profile = newProfile();
    const before = await runsOn(redis.url, profile);
    const steps: number[] = [];
    const performSlice: PerformSlice = async (_work, _owner, _reports, saved) => {
      const step = Number(saved?.['step'] ?? 0) + 1;
      steps.push(step);
      if (step === 3) return { result: { step }, partial: false };
      return { waitMs: step === 1 ? 1500 : 1, progress: '', hasNewProgress: false, saved: { step } };
    };
    const first = await workOn(redis.url, profile, performSlice, 4);
    const { id } = await before.start(OWNER, WORK);
    while (steps.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await first.close();
    await before.end();
    await redis.kill();
    await redis.start();
    const after = await runsOn(redis.url, profile);
    const second = await workOn(redis.url, profile, performSlice, 4);
    expect((await all(after.events(id, 0, never))).at(-1)?.event).toBe('end');
    expect(await after.find(id)).toMatchObject({ state: 'succeeded', result: { step: 3 } });
    expect(steps).toEqual([1, 2, 3]);
    await second.close();
    await after.end();
  });
});
