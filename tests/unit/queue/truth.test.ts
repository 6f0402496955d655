/** The end of a run is written once, by its owner; until it is known, the state is unknown. */
import { CancelledError, NetworkError } from '../../../lib/core/errors.ts';
import { nodeClock } from '../../../lib/node/clock.ts';
import { InProcessRuns } from '../../../lib/runs/in-process.ts';
import type { Runs } from '../../../lib/runs/port.ts';
import { type Queue as OpenedQueue, openQueue } from '../../../lib/runs/redis/queue.ts';
import { RunStore } from '../../../lib/runs/redis/runs/run-store.ts';
import { type PerformSlice, RunProcessor } from '../../../lib/runs/redis/runs/run-worker.ts';
import { QueuedRuns } from '../../../lib/runs/redis/runs/runs.ts';
import { CurrentJobs } from '../../../lib/runs/redis/workers/worker.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { all, never, OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';

const redis = redisServer();
const TENANT = 'a'.repeat(32);
const clock = nodeClock();
let opened: OpenedQueue;
let runs: Runs;

beforeEach(async () => {
  await redis.flush();
  opened = await openQueue({ url: redis.url });
  runs = await QueuedRuns.open({
    ...{ link: opened.link, seal: opened.seal, clock, profile: '', simulates: true },
    local: new InProcessRuns({ perform: async () => ({ result: {}, partial: false }), clock }),
    isLocal: () => false,
    identityOf: async () => TENANT,
  });
});
afterEach(async () => {
  await runs.close(0);
  await opened.close();
});

/** A worker whose jobs the test hands out itself, as the queue does after a lock was lost. */
function workerOf(performSlice: PerformSlice, isRepeatable = false) {
  const { link, seal } = opened;
  const store = new RunStore(link.client, seal);
  const parts = { link, seal, store, clock, current: new CurrentJobs(), tenant: TENANT, simulates: true, performSlice };
  const processor = new RunProcessor({
    ...parts,
    sectionOf: () => '',
    commandOf: async () => undefined,
    isRepeatable: () => isRepeatable,
    warn: () => undefined,
  });
  return Object.assign(processor, { current: parts.current });
}

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

const sent: PerformSlice = async () => Promise.reject(new Error('the change was sent again'));
const events = async (id: string) => (await all(runs.events(id, 0, never))).map(({ event }) => event);
const state = async (id: string) => (await runs.find(id))?.state;

describeWithRedis('The truth about a run', () => {
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
    // As after a kill of a Redis whose last snapshot is older than the attempt.
    await client.del(`aisec:run:${id}:attempt`, `aisec:run:${id}:run`);
    await client.restore(`aisec:run:${id}:run`, 0, stored);
    await client.restore(`aisec:run:${id}:work`, 0, work);
    await worker.process({ id });
    expect([count, await state(id)]).toEqual([1, 'unknown']);
  });
});
