/** Output of `aisec queue`, and its handling of failed jobs. */
import { Queue } from 'bullmq';
import { ServiceError, UsageError } from '../../../lib/core/errors.ts';
import type { Run } from '../../../lib/runs/port.ts';
import { keyOf } from '../../../lib/runs/redis/connection/names.ts';
import { withQueue } from '../../../lib/runs/redis/queue.ts';
import { RunStore } from '../../../lib/runs/redis/runs/run-store.ts';
import { dropJob, queueStatus, retryJob } from '../../../lib/runs/redis/status.ts';
import { startWorker } from '../../../lib/runs/redis/workers/worker.ts';
import { machineClock, until } from '../../support/machine.ts';
import { OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';
import { identityOf, queueForEach, runsOn } from './runs-support.ts';

const redis = redisServer();
const opened = queueForEach(redis);
const TENANT = identityOf('');
let runs: Awaited<ReturnType<typeof runsOn>>;

const retry = (id: string, dryRun: boolean) => withQueue({ url: redis.url }, (queue) => retryJob(queue, id, dryRun));
const drop = (id: string, dryRun: boolean) => withQueue({ url: redis.url }, (queue) => dropJob(queue, id, dryRun));
const status = (now = machineClock.now()) => withQueue({ url: redis.url }, (queue) => queueStatus(queue, now));
const stateOf = async (kind: string) => (await status()).queues.find((each) => each.kind === kind);
const store = () => new RunStore(opened.link.client, opened.seal);

/** Makes a worker fail all jobs of a kind. */
async function setAside(kind: 'runs' | 'shards', reason = 'It broke.'): Promise<void> {
  const worker = startWorker({
    ...{ link: opened.link, kind, tenant: TENANT, slots: 1, now: machineClock.now },
    handlers: {
      process: () => Promise.reject(new Error(reason)),
      onAside: async () => undefined,
    },
  });
  await until(async () => ((await stateOf(kind))?.failed ?? 0) > 0);
  await worker.close();
}

/** Adds a shard as a coordinator does, and makes it fail. */
async function shardAside(id: string): Promise<void> {
  const queue = new Queue(`shards.${TENANT}`, { connection: opened.link.client, prefix: 'aisec' });
  await queue.add('shard', { id, work: 'work' }, { jobId: id });
  await queue.close();
  await opened.link.client.sadd('aisec:tenants', TENANT);
  await setAside('shards');
}

describeWithRedis('The state of the queue', () => {
  beforeEach(async () => {
    runs = await runsOn(redis.url, '');
  });
  afterEach(() => runs.end());

  it('of an unused Redis has no queues', async () => {
    const { memory, ...rest } = await status();
    expect(rest).toEqual({ redis: `127.0.0.1:${redis.port}`, queues: [], workers: [], aside: [] });
    expect(memory).toBeGreaterThan(100_000);
  });

  it("shows both queues of a tenant, what waits in each and since when, and the tenant's rate", async () => {
    await runs.start(OWNER, WORK);
    await opened.link.client.set(keyOf.rate(TENANT), '25');
    const none = {
      tenant: TENANT,
      labels: [''],
      waiting: 0,
      active: 0,
      delayed: 0,
      failed: 0,
      oldestSeconds: 0,
      rate: 25,
    };
    const { queues } = await status(machineClock.now() + 60_000);
    expect(queues).toEqual([
      { ...none, kind: 'shards' },
      { ...none, kind: 'runs', waiting: 1, oldestSeconds: expect.any(Number) as unknown },
    ]);
    expect([60, 61, 62]).toContain(queues[1]?.oldestSeconds);
    expect((await status(0)).queues[1]?.oldestSeconds).toBe(0);
  });

  it.each(['0', '-5', 'NaN'])('has no rate if Redis has %s', async (rate) => {
    await runs.start(OWNER, WORK);
    await opened.link.client.set(keyOf.rate(TENANT), rate);
    expect((await stateOf('runs'))?.rate).toBeNull();
  });

  it('lists a job that was set aside with its truncated reason', async () => {
    const { id } = await runs.start(OWNER, WORK);
    const before = machineClock.now();
    await setAside('runs', 'x'.repeat(1000));
    const { aside } = await status();
    const since = expect.any(String) as unknown;
    expect(aside).toEqual([{ id, tenant: TENANT, kind: 'runs', reason: 'x'.repeat(300), since }]);
    expect(Date.parse(aside[0]?.since ?? '')).toBeGreaterThanOrEqual(before);
    expect(await stateOf('runs')).toMatchObject({ waiting: 0, failed: 1 });
  });

  it('changes when a run is retried: it waits as a new run, but not after a dry run', async () => {
    const { id } = await runs.start(OWNER, WORK);
    await setAside('runs');
    const run = (await store().find(id)) as Run;
    const ended = '2026-01-01T00:00:00.000Z';
    const error = new ServiceError('It failed.').toJSON();
    await store().end({ ...run, state: 'failed', started: ended, ended, result: 1, error }, '', true);
    await retry(id, true);
    expect(await stateOf('runs')).toMatchObject({ waiting: 0, failed: 1 });
    expect((await store().find(id))?.state).toBe('failed');
    await retry(id, false);
    expect(await stateOf('runs')).toMatchObject({ waiting: 1, failed: 0 });
    const again = await store().find(id);
    expect(again).toMatchObject({ state: 'queued', started: null, ended: null });
    expect(again?.error).toBeUndefined();
    expect(await store().attempt(id)).toBe('');
  });

  it('does not retry a run with an unknown outcome', async () => {
    const { id } = await runs.start(OWNER, WORK);
    await setAside('runs');
    await store().doubt((await store().find(id)) as Run, '', 'the worker ended');
    const thrown = await retry(id, false).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(UsageError);
    expect(thrown).toMatchObject({
      message: `Whether ${WORK.command} was carried out is unknown, so it is not sent again.`,
      hint: `Check the service. If it was not, start it again, and forget this run: aisec queue drop ${id}`,
    });
    expect(await stateOf('runs')).toMatchObject({ waiting: 0, failed: 1 });
  });

  it('drops a run that was set aside, with its input, but not in a dry run', async () => {
    const { id } = await runs.start(OWNER, WORK);
    await setAside('runs');
    await drop(id, true);
    expect([(await stateOf('runs'))?.failed, await store().request(id)]).toEqual([1, expect.anything()]);
    await drop(id, false);
    expect([(await stateOf('runs'))?.failed, await store().request(id)]).toEqual([0, undefined]);
  });

  it('drops a shard with all its keys, and does not retry it', async () => {
    await shardAside('work-0');
    const pieces = ['in', 'results', 'notes', 'owner', 'end'].map((piece) => keyOf.shard('work-0', piece));
    const { client } = opened.link;
    for (const key of pieces) await client.set(key, 'x');
    const thrown = await retry('work-0', true).catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      message: 'The rows of this shard are already written, without verdicts for its prompts.',
      hint: 'Scan these prompts again, and forget the shard: aisec queue drop work-0',
    });
    await drop('work-0', false);
    expect([(await status()).aside, await client.exists(...pieces)]).toEqual([[], 0]);
  });

  it('acts only on jobs that are set aside', async () => {
    const { id } = await runs.start(OWNER, WORK);
    for (const name of [id, 'x'.repeat(100)]) {
      const thrown = await drop(name, false).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(UsageError);
      const message = `No job "${name.slice(0, 60)}" was set aside.`;
      expect(thrown).toMatchObject({ message, hint: 'List them with: aisec queue' });
    }
    expect((await stateOf('runs'))?.waiting).toBe(1);
  });
});
