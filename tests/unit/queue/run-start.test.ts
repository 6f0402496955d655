/** Starting runs on the queue: refused and late starts are removed. */
import { Queue } from 'bullmq';
import { QuotaError } from '../../../lib/core/errors.ts';
import { newRun } from '../../../lib/runs/port.ts';
import { KEEP_SECONDS, keyOf, STOPS } from '../../../lib/runs/redis/connection/names.ts';
import { openQueue } from '../../../lib/runs/redis/queue.ts';
import { newAttempt } from '../../../lib/runs/redis/runs/accepted-runs.ts';
import { RunStarter } from '../../../lib/runs/redis/runs/run-start.ts';
import { type RunJob, RunStore } from '../../../lib/runs/redis/runs/run-store.ts';
import { until } from '../../support/machine.ts';
import { OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';
import { queueForEach } from './runs-support.ts';

const redis = redisServer();
const opened = queueForEach(redis);
const TENANT = 'b'.repeat(32);
const ID = '0123456789abcdef01234567';
const RUN = newRun(ID, { ...OWNER, identity: TENANT }, WORK, '2026-01-02T03:04:05.000Z');
const CREATED = { run: RUN, tenant: TENANT, work: { work: WORK, simulates: true, label: '' } };
const inTime = () => 1000;

let queue: Queue<RunJob>;
let starter: RunStarter | undefined;

/** Creates a starter whose store differs from the real one in some of its methods. */
function starterWith(changed: Partial<RunStore> = {}, maxQueued = 10): RunStarter {
  starter = new RunStarter(
    opened.link,
    Object.assign(new RunStore(opened.link.client, opened.seal), changed),
    maxQueued,
  );
  return starter;
}

/** Lists the data that Redis has about the run and its job. */
async function kept(): Promise<readonly string[]> {
  const keys = await opened.link.client.keys(`*${ID}*`);
  return keys.toSorted();
}

const isTakenBack = async () => (await kept()).length === 0;

/** Returns the time left at each check: the last value stays. */
function leftAt(...values: readonly number[]): () => number {
  let look = -1;
  return () => {
    look = Math.min(look + 1, values.length - 1);
    return values[look] ?? 0;
  };
}

describeWithRedis('A start on the queue', () => {
  beforeEach(async () => {
    queue = new Queue<RunJob>(`runs.${TENANT}`, { connection: opened.link.client, prefix: 'aisec' });
  });
  afterEach(async () => {
    starter?.close();
    await queue.close();
  });

  it('creates a job that names the run, and leaves nothing after its end', async () => {
    await starterWith().start(queue, CREATED, inTime);
    const job = await queue.getJob(ID);
    expect([job?.name, job?.data, job?.opts.removeOnComplete]).toEqual(['run', { id: ID }, true]);
    expect(await new RunStore(opened.link.client, opened.seal).find(ID)).toEqual(RUN);
  });

  it('is refused if the maximum number of runs waits', async () => {
    const one = starterWith({}, 1);
    await one.start(queue, CREATED, inTime);
    const next = { ...CREATED, run: { ...RUN, id: 'f'.repeat(24) } };
    await expect(one.start(queue, next, inTime)).rejects.toMatchObject({ name: 'BusyError' });
    expect(await queue.getPrioritizedCount()).toBe(1);
  });

  it('of a token with too much waiting work removes nothing, because nothing was created', async () => {
    let count = 0;
    const withdraw = async () => {
      count += 1;
      return true;
    };
    const accept = () => Promise.reject(new QuotaError('Too much.'));
    await expect(starterWith({ accept, withdraw }).start(queue, CREATED, inTime)).rejects.toThrow(QuotaError);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([count, await kept()]).toEqual([0, []]);
  });

  it.each([
    ['before it was counted', [0]],
    ['before it was counted, to the millisecond', [-1]],
    ['before it was created', [1, 0]],
    ['after it was created', [1, 1, 0]],
  ])('that is too late %s leaves nothing', async (_when, values) => {
    const { client } = opened.link;
    await expect(starterWith().start(queue, CREATED, leftAt(...values))).rejects.toThrow('the start came too late');
    await until(isTakenBack);
    expect(await queue.getJobCountByTypes('prioritized', 'active', 'delayed')).toBe(0);
    await until(async () => (await client.hlen(keyOf.accepted)) === 0);
    expect(await client.zcard(keyOf.runs(TENANT))).toBe(0);
  });

  it('that reaches Redis after its deadline creates no run, and its job is removed', async () => {
    const { link, seal } = opened;
    const store = new RunStore(link.client, seal);
    const creation: RunStore['creation'] = (created) => store.creation({ ...created, deadline: 1 });
    await expect(starterWith({ creation }).start(queue, CREATED, inTime)).rejects.toThrow('the start came too late');
    await until(isTakenBack);
    expect(await store.list(TENANT)).toEqual([]);
    expect(await queue.getJob(ID)).toBeUndefined();
  });

  it('that Redis refuses fails with the error of Redis, and is listed nowhere', async () => {
    const { client } = opened.link;
    const creation: RunStore['creation'] = () => ['return redis.error_reply("OOM of the test")', 0];
    await expect(starterWith({ creation }).start(queue, CREATED, inTime)).rejects.toThrow('OOM of the test');
    await until(isTakenBack);
    expect(await client.zcard(keyOf.runs(TENANT))).toBe(0);
  });

  it('that cannot be removed at once is removed half a second later, with all starts refused since', async () => {
    const { link, seal } = opened;
    const store = new RunStore(link.client, seal);
    const asked: string[] = [];
    let isAway = true;
    const withdraw: RunStore['withdraw'] = async (run, tenant) => {
      asked.push(run.id);
      if (isAway) throw new Error('away');
      return store.withdraw(run, tenant);
    };
    const other = { ...CREATED, run: { ...RUN, id: 'e'.repeat(24) } };
    const one = starterWith({ withdraw });
    await expect(one.start(queue, CREATED, leftAt(1, 1, 0))).rejects.toThrow('too late');
    await until(async () => asked.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(one.start(queue, other, leftAt(1, 1, 0))).rejects.toThrow('too late');
    expect(asked).toEqual([ID]);
    isAway = false;
    await until(isTakenBack);
    await until(async () => (await link.client.keys('*eeee*')).length === 0);
    expect(asked).toEqual([ID, ID, other.run.id]);
  });

  it('that a worker has accepted meanwhile is stopped, because its caller was refused', async () => {
    const { link, seal } = opened;
    const store = new RunStore(link.client, seal);
    const { link: other, close } = await openQueue({ url: redis.url });
    const stops: string[] = [];
    const listening = other.client.duplicate();
    listening.on('message', (_channel: string, id: string) => stops.push(id));
    await listening.subscribe(STOPS);
    let looks = 0;
    const left = () => {
      looks += 1;
      return looks < 3 ? 1 : 0;
    };
    const creation: RunStore['creation'] = (created) => store.creation(created);
    const withdraw: RunStore['withdraw'] = async (run, tenant) => {
      await store.begin(ID, '', newAttempt(false), { ...run, state: 'running' });
      return store.withdraw(run, tenant);
    };
    await expect(starterWith({ creation, withdraw }).start(queue, CREATED, left)).rejects.toThrow('too late');
    await until(async () => stops.length > 0);
    expect(stops).toEqual([ID]);
    const seconds = await link.client.ttl(keyOf.stopped(ID));
    expect([seconds > KEEP_SECONDS - 60, seconds <= KEEP_SECONDS]).toEqual([true, true]);
    expect(await store.find(ID)).toMatchObject({ state: 'running' });
    listening.disconnect();
    await close();
  });
});
