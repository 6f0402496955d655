/** Runs through the queue: what all runs do, and what only these can: outlive their process, and give their worker back. */
import { randomBytes } from 'node:crypto';
import { NetworkError, ServiceError } from '../../lib/errors.ts';
import { nodeClock } from '../../lib/node/clock.ts';
import { newCurrent } from '../../lib/queue/current.ts';
import { tenantName } from '../../lib/queue/names.ts';
import { openQueue } from '../../lib/queue/queue.ts';
import { newAttempt } from '../../lib/queue/run-attempt.ts';
import { runStore } from '../../lib/queue/run-store.ts';
import { type DoSlice, runProcessor } from '../../lib/queue/run-worker.ts';
import { queueRuns } from '../../lib/queue/runs.ts';
import { listenForStops } from '../../lib/queue/stops.ts';
import { startWorker } from '../../lib/queue/worker.ts';
import { sayAlive } from '../../lib/queue/workers.ts';
import { inProcessRuns } from '../../lib/runs/in-process.ts';
import { type DoWork, newRun, type Run, type Runs } from '../../lib/runs/port.ts';
import { documentOf } from '../../lib/runs/problem.ts';
import { all, describeRuns, never, OWNER, WORK } from '../runs/suite.ts';
import { scenario } from '../scenarios/claims.ts';
import { machineClock } from '../support/machine.ts';
import { TEST_TIME } from '../support/simulated.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';

const redis = redisServer();
const clock = nodeClock();

/** What nobody asks for. */
const noWork: DoWork = () => Promise.reject(new ServiceError('Nothing is done here.'));

/** Opens runs on a tenant of their own. */
async function runsOn(profile: string, mostQueued?: number): Promise<Runs & { disconnect(): Promise<void> }> {
  const { link, seal, close } = await openQueue({ url: redis.url });
  const runs = await queueRuns({
    ...{ link, seal, clock, profile, simulates: true, problem: documentOf },
    local: inProcessRuns({ work: noWork, problem: documentOf, clock }),
    isLocal: async ({ kind }) => kind !== 'command',
    ...(mostQueued === undefined ? {} : { mostQueued }),
  });
  return { ...runs, disconnect: close };
}

/** Starts a worker for a tenant. */
async function workOn(profile: string, doSlice: DoSlice, slots: number, isRepeatable = true) {
  const { link, seal, close } = await openQueue({ url: redis.url });
  const current = newCurrent();
  const stops = await listenForStops(link, current);
  const parts = { link, seal, clock, current, tenant: '', simulates: true, doSlice };
  const store = runStore(link.client, seal);
  const processor = runProcessor({ ...parts, store, isRepeatable: async () => isRepeatable, warn: () => undefined });
  const tenant = tenantName(profile);
  const worker = startWorker({ link, kind: 'runs', tenant, slots, now: machineClock.now, ...processor });
  const record = { host: 'test', pid: 1, version: '0', slots, tenants: [tenant], started: '', shards: 0, runs: 0 };
  const id = randomBytes(6).toString('hex');
  await sayAlive(link.client, { id, ...record });
  return {
    close: async () => {
      current.halt('runs');
      await worker.close();
      stops.close();
      await link.client.del(`aisec:worker:${id}`);
      await close();
    },
  };
}

let count = 0;
function newProfile(): string {
  count += 1;
  return `tenant-${count}`;
}

describeWithRedis('On the queue', () => {
  describeRuns('on the queue', async (work, slots, mostQueued) => {
    const profile = newProfile();
    const runs = await runsOn(profile, mostQueued);
    const worker = await workOn(profile, work, slots);
    return {
      runs,
      close: async () => {
        await worker.close();
        await runs.close(0);
        await runs.disconnect();
      },
    };
  });

  it('two hundred runs that wait all go on, on two workers with four slots', async () => {
    const profile = newProfile();
    const runs = await runsOn(profile);
    let [working, most] = [0, 0];
    // Ten steps for each, between which nobody works on it.
    const doSlice: DoSlice = async (_work, _owner, _reports, saved) => {
      working += 1;
      most = Math.max(most, working);
      await new Promise((resolve) => setTimeout(resolve, 1));
      working -= 1;
      const step = Number(saved?.['step'] ?? 0) + 1;
      if (step === 10) return { result: { step }, partial: false };
      return { waitMs: 20, progress: `step ${step}`, hasNewProgress: true, saved: { step } };
    };
    const workers = [await workOn(profile, doSlice, 4), await workOn(profile, doSlice, 4)];
    const started = [];
    for (let each = 0; each < 200; each += 1) started.push(await runs.start(OWNER, WORK));
    for (const { id } of started) {
      const events = await all(runs.events(id, 0, never));
      expect(events.map(({ event }) => event)).toEqual(['state', 'state', ...Array(9).fill('progress'), 'end']);
    }
    expect(most).toBeLessThanOrEqual(8);
    expect((await runs.list('')).every(({ state }) => state === 'succeeded')).toBe(true);
    await Promise.all(workers.map((worker) => worker.close()));
    await runs.close(0);
    await runs.disconnect();
  });

  scenario(
    'run-kept',
    'a full token is refused, loses nothing that was accepted, and leaves room for others',
    async () => {
      const runs = await runsOn(newProfile());
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
      await runs.close(0);
      await runs.disconnect();
    },
  );

  scenario('run-kept', 'beyond a thousand ended runs, only the oldest ended ones of the same token go', async () => {
    const { link, seal, close } = await openQueue({ url: redis.url });
    const store = runStore(link.client, seal);
    await link.client.set('aisec:job', '1');
    const add = async (at: number, caller: string, isEnded: boolean) => {
      const run = newRun(`${caller}${at}`, { ...OWNER, caller }, WORK, new Date(TEST_TIME + at).toISOString());
      const created = { run, work: { work: WORK, simulates: true }, tenant: 'kept', job: 'aisec:job', deadline: 9e15 };
      await store.accept(created);
      await link.client.eval(...store.creation(created));
      const ended: Run = { ...run, state: 'succeeded', ended: new Date(TEST_TIME + at).toISOString() };
      if (isEnded) await store.end(ended, '');
    };
    await add(0, 'mine', true);
    await add(1, 'mine', false);
    await add(0, 'busy', false);
    for (let at = 1; at <= 1002; at += 1) await add(at, 'busy', true);
    const found = ['mine0', 'mine1', 'busy0', 'busy1', 'busy2', 'busy3'].map((id) => store.find(id));
    const states = (await Promise.all(found)).map((run) => run?.state);
    expect(states).toEqual(['succeeded', 'queued', 'queued', undefined, undefined, 'succeeded']);
    await close();
  });

  it('a run goes on from its checkpoint after everything was started again, Redis by kill -9', async () => {
    const profile = newProfile();
    const before = await runsOn(profile);
    const steps: number[] = [];
    const doSlice: DoSlice = async (_work, _owner, _reports, saved) => {
      const step = Number(saved?.['step'] ?? 0) + 1;
      steps.push(step);
      if (step === 3) return { result: { step }, partial: false };
      return { waitMs: step === 1 ? 1500 : 1, progress: '', hasNewProgress: false, saved: { step } };
    };
    const first = await workOn(profile, doSlice, 4);
    const { id } = await before.start(OWNER, WORK);
    while (steps.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await first.close();
    await before.close(0);
    await before.disconnect();
    await redis.kill();
    await redis.start();
    const after = await runsOn(profile);
    const second = await workOn(profile, doSlice, 4);
    expect((await all(after.events(id, 0, never))).at(-1)?.event).toBe('end');
    expect(await after.find(id)).toMatchObject({ state: 'succeeded', result: { step: 3 } });
    expect(steps).toEqual([1, 2, 3]);
    await second.close();
    await after.close(0);
    await after.disconnect();
  });

  it('a run whose worker dies is done once more only if it reads; of any other it says that nobody knows', async () => {
    for (const isRepeatable of [true, false]) {
      const profile = newProfile();
      const runs = await runsOn(profile);
      const { link, seal, close } = await openQueue({ url: redis.url });
      const store = runStore(link.client, seal);
      const run = await runs.start(OWNER, WORK);
      // As a worker leaves it that is killed in the middle.
      const attempt = newAttempt(isRepeatable);
      await store.begin(run.id, '', attempt, { ...run, state: 'running', started: run.created });
      const worker = await workOn(profile, async () => ({ result: {}, partial: false }), 1, isRepeatable);
      await all(runs.events(run.id, 0, never));
      const found = await runs.find(run.id);
      expect(found?.state).toBe(isRepeatable ? 'succeeded' : 'unknown');
      if (!isRepeatable) expect(JSON.stringify(found?.problem)).toContain('Whether it was carried out is unknown');
      await worker.close();
      await runs.close(0);
      await close();
      await runs.disconnect();
    }
  });

  it('there is a clear error where no Redis is', async () => {
    await expect(openQueue({ url: 'redis://127.0.0.1:1' })).rejects.toThrow(NetworkError);
  });
});
