/** Runs through the queue: what all runs do, and what only these can: outlive their process, and give their worker back. */
import { createHash, randomBytes } from 'node:crypto';
import { Queue } from 'bullmq';
import { NetworkError, ServiceError } from '../../lib/errors.ts';
import { nodeClock } from '../../lib/node/clock.ts';
import { newCurrent } from '../../lib/queue/current.ts';
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

function identityOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

/** Opens runs on a tenant of their own. */
async function runsOn(
  profile: string,
  mostQueued?: number,
  key?: string,
): Promise<Runs & { disconnect(): Promise<void> }> {
  const { link, seal, close } = await openQueue({ url: redis.url, key });
  const runs = await queueRuns({
    ...{ link, seal, clock, profile, simulates: true, problem: documentOf },
    local: inProcessRuns({ work: noWork, problem: documentOf, clock }),
    identityOf: async (tenant) => identityOf(tenant === '' ? profile : tenant),
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
  const tenant = identityOf(profile);
  const parts = { link, seal, clock, current, tenant, sectionOf: () => '', simulates: true, doSlice };
  const store = runStore(link.client, seal);
  const processor = runProcessor({ ...parts, store, isRepeatable: async () => isRepeatable, warn: () => undefined });
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
      const created = {
        run,
        work: { work: WORK, simulates: true, label: '' },
        tenant: 'kept',
        job: 'aisec:job',
        deadline: 9e15,
      };
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

  scenario('tenant-identity', 'hides a run from a service with another tenant under the same label', async () => {
    const profile = newProfile();
    const [ours, theirs] = [await runsOn(profile), await runsOn(newProfile())];
    const run = await ours.start(OWNER, WORK);
    expect(await theirs.find(run.id)).toBeUndefined();
    expect(await all(theirs.events(run.id, 0, never))).toEqual([]);
    await theirs.stop(run.id);
    await theirs.remove(run.id);
    expect((await theirs.list('')).map(({ id }) => id)).not.toContain(run.id);
    expect(await ours.find(run.id)).toMatchObject({ state: 'queued' });
    expect((await ours.list('')).map(({ id }) => id)).toEqual([run.id]);
    for (const runs of [ours, theirs]) {
      await runs.close(0);
      await runs.disconnect();
    }
  });

  scenario('tenant-identity', 'does not carry out a run that was put on the queue of another tenant', async () => {
    const [profile, other] = [newProfile(), newProfile()];
    const runs = await runsOn(profile);
    const { id } = await runs.start(OWNER, WORK);
    const done: unknown[] = [];
    const doSlice: DoSlice = async (work) => {
      done.push(work);
      return { result: {}, partial: false };
    };
    const worker = await workOn(other, doSlice, 1);
    const { link, close } = await openQueue({ url: redis.url });
    const queue = new Queue(`runs.${identityOf(other)}`, { connection: link.client, prefix: 'aisec' });
    const job = await queue.add('run', { id });
    while ((await job.getState()) !== 'completed') await new Promise((resolve) => setTimeout(resolve, 20));
    expect([done, (await runs.find(id))?.state]).toEqual([[], 'queued']);
    await queue.close();
    await close();
    await worker.close();
    await runs.close(0);
    await runs.disconnect();
  });

  scenario('rotation', 'lists a run of another key as unreadable, beside the others', async () => {
    const profile = newProfile();
    const [older, newer] = ['old', 'new'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);
    const before = await runsOn(profile, undefined, older);
    const { id: first } = await before.start(OWNER, WORK);
    await before.disconnect();
    const after = await runsOn(profile, undefined, newer);
    const { id: second } = await after.start(OWNER, WORK);
    const found = await after.list('');
    expect(new Map(found.map(({ id, state }) => [id, state]))).toEqual(
      new Map([
        [first, 'unreadable'],
        [second, 'queued'],
      ]),
    );
    expect(JSON.stringify(found.find(({ id }) => id === first)?.problem)).toContain('the key \\"old\\"');
    await expect(after.find(first)).rejects.toThrow('AISEC_QUEUE_KEY does not have it');
    await after.disconnect();
    const both = await runsOn(profile, undefined, `${newer},${older}`);
    expect((await both.list('')).map(({ state }) => state)).toEqual(['queued', 'queued']);
    await both.close(0);
    await both.disconnect();
  });

  scenario(
    'retention',
    'keeps nothing of an ended run longer than a day, and does not list it afterwards',
    async () => {
      const profile = newProfile();
      const runs = await runsOn(profile);
      const { link, seal, close } = await openQueue({ url: redis.url });
      const { client } = link;
      const store = runStore(client, seal);
      const run = await runs.start(OWNER, WORK);
      const attempt = newAttempt(false);
      await store.begin(run.id, '', attempt, { ...run, state: 'running' });
      await store.progress(run.id, attempt, 'half');
      await client.set(`aisec:stopped:${run.id}`, '1', 'EX', 7 * 86_400);
      await store.end({ ...run, state: 'failed', ended: run.created, result: { large: true } }, attempt, true);
      // A worker that was thought dead writes late.
      await store.progress(run.id, attempt, 'late');
      await store.event(run.id, attempt, 'task', {});
      const keys = await client.keys(`aisec:*${run.id}*`);
      const times = await Promise.all(
        keys.filter((key) => !key.startsWith('aisec:runs.')).map((key) => client.ttl(key)),
      );
      expect(keys).toContain(`aisec:run:${run.id}:events`);
      expect(Math.min(...times)).toBeGreaterThan(0);
      expect(Math.max(...times)).toBeLessThanOrEqual(86_400);
      // As after a day.
      await client.del(`aisec:run:${run.id}:run`);
      expect(await runs.list('')).toEqual([]);
      expect(await client.zcard(`aisec:runs:${identityOf(profile)}`)).toBe(0);
      await store.event(run.id, attempt, 'task', {});
      await store.progress(run.id, attempt, 'later still');
      expect(await client.ttl(`aisec:run:${run.id}:progress`)).toBeLessThanOrEqual(86_400);
      await close();
      await runs.close(0);
      await runs.disconnect();
    },
  );

  it('there is a clear error where no Redis is', async () => {
    await expect(openQueue({ url: 'redis://127.0.0.1:1' })).rejects.toThrow(NetworkError);
  });
});
