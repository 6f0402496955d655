/** Shards at their coordinator: what workers get of them, and how their ends come back. */
import { ConflictError, UsageError } from '../../../lib/core/errors.ts';
import { keyOf } from '../../../lib/runs/redis/connection/names.ts';
import { openQueue, type Queue } from '../../../lib/runs/redis/queue.ts';
import { OwnShard } from '../../../lib/runs/redis/shards/shard-worker.ts';
import { queueShards } from '../../../lib/runs/redis/shards/shards.ts';
import { queueStatus } from '../../../lib/runs/redis/status.ts';
import { startWorker } from '../../../lib/runs/redis/workers/worker.ts';
import { reportAlive } from '../../../lib/runs/redis/workers/workers.ts';
import { until } from '../../support/machine.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';

const redis = redisServer();
const TENANT = 'a'.repeat(32);
const COMMAND = { command: 'aisec-runtime-bulk-scan', args: { profile_name: 'prod' }, perSecond: 5 };
const ITEMS = [
  { row: 7, text: 'seven', columns: {} },
  { row: 9, text: 'nine', columns: {} },
] as unknown as Parameters<Awaited<ReturnType<ReturnType<typeof queueShards>['open']>>['hand']>[1];
const RECORD = { host: 'h', pid: 1, version: '1', tenants: [TENANT], started: '', shards: 0, runs: 0 };

describeWithRedis('Shards', () => {
  let opened: Queue;
  const works: { close(isComplete: boolean): Promise<void> }[] = [];
  beforeEach(async () => {
    await redis.flush();
    opened = await openQueue({ url: redis.url });
  });
  afterEach(async () => {
    for (const work of works.splice(0)) await work.close(true);
    await opened.close();
  });

  const openWork = async (earlier?: string) => {
    const { link, seal } = opened;
    const work = await queueShards({ link, seal, tenant: { identity: TENANT, label: '' }, simulates: true }).open(
      COMMAND,
      earlier,
    );
    works.push(work);
    return work;
  };
  const take = async (id: string) => {
    const shard = await OwnShard.take(opened.link, opened.seal, id, TENANT);
    const journal = await shard?.files.journal('out.jsonl', false);
    if (shard === undefined || journal === undefined) throw new Error('Nothing is left to do.');
    return { shard, journal };
  };
  const waiting = async () => {
    const { queues } = await queueStatus(opened, 0);
    return queues.find(({ kind }) => kind === 'shards')?.waiting;
  };

  it.each([
    [0, 4],
    [1, 4],
    [3, 6],
    [32, 64],
    [100, 64],
  ])('of workers with %d slots: %d are handed out ahead', async (slots, ahead) => {
    await reportAlive(opened.link.client, { id: 'a', slots, ...RECORD });
    expect((await openWork()).ahead()).toBe(ahead);
  });

  it('pass the command and items to a worker, and the results to the coordinator in the rows of its input', async () => {
    const work = await openWork();
    expect(work.id).toMatch(/^[0-9a-f]{24}$/);
    expect(await work.hand(0, ITEMS)).toBe(true);
    expect(await waiting()).toBe(1);
    const { shard, journal } = await take(`${work.id}-0`);
    const items = ITEMS.map(({ row: _row, ...item }) => item);
    const tenant = { identity: TENANT, label: '' };
    expect(shard.payload).toEqual({ ...COMMAND, simulates: true, tenant, work: work.id, rows: [7, 9], items });
    await journal.notes.append('{"sending":[1]}\n');
    await journal.results.append('{"a":1}\n{"a":2}\n');
    const end = work.ended(0, undefined);
    await journal.commit('out.jsonl', 'application/jsonl');
    expect(await end).toEqual({ rows: [7, 9], results: ['{"a":1}', '{"a":2}'], notes: ['{"sending":[1]}'] });
    await work.forget(0);
    expect(await opened.link.client.keys('aisec:shard:*')).toEqual([]);
  });

  it('that fail return the error, and continue when they are handed out again', async () => {
    const work = await openWork();
    await work.hand(0, ITEMS);
    await (await take(`${work.id}-0`)).shard.fail(new UsageError('No.', { hint: 'Do.' }));
    const { failure, rows } = await work.ended(0, undefined);
    expect(failure).toBeInstanceOf(UsageError);
    expect([failure?.message, failure?.hint, rows]).toEqual(['No.', 'Do.', [7, 9]]);
    await work.close(false);
    const later = await openWork(work.id);
    expect([later.id, await later.hand(0, ITEMS)]).toEqual([work.id, false]);
    expect((await take(`${work.id}-0`)).journal.continued).toBe(false);
  });

  it('that a worker sets aside give the reason, in two hundred characters', async () => {
    const work = await openWork();
    const broken = startWorker({
      ...{ link: opened.link, kind: 'shards', tenant: TENANT, slots: 1, now: () => 0 },
      handlers: {
        process: async () => {
          throw new SyntaxError('x'.repeat(300));
        },
        onAside: async () => undefined,
      },
    });
    await work.hand(3, ITEMS);
    const aside = `the shard ${work.id}-3 was set aside after several attempts (${'x'.repeat(200)}).`;
    expect(await work.ended(3, undefined)).toEqual({ rows: [7, 9], results: [], notes: [], aside });
    await broken.close();
    expect(await work.hand(3, ITEMS)).toBe(false);
    expect(await waiting()).toBe(1);
  });

  it('with an unreadable outcome are set aside alone', async () => {
    const work = await openWork();
    await work.hand(0, ITEMS);
    await opened.link.client.set(keyOf.shard(`${work.id}-0`, 'end'), 'garbage');
    const { aside, rows, results } = await work.ended(0, undefined);
    expect(aside).toMatch(/^the shard \w+-0 cannot be read \(A payload in the queue is damaged/);
    expect([rows, results]).toEqual([[7, 9], []]);
  });

  it('that Redis has lost are handed out again at the next check', async () => {
    const work = await openWork();
    await work.hand(0, ITEMS);
    await redis.flush();
    const end = work.ended(0, undefined);
    await opened.link.client.sadd('aisec:tenants', TENANT);
    for (let look = 0; (await waiting()) !== 1; look += 1) {
      if (look > 60) throw new Error('It was not handed out again.');
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    const { journal } = await take(`${work.id}-0`);
    await journal.commit('out.jsonl', 'application/jsonl');
    expect((await end).rows).toEqual([7, 9]);
    expect(await opened.link.client.exists(keyOf.alive(work.id))).toBe(1);
  });

  it('that Redis has lost while a worker scanned them count as sent for the next worker', async () => {
    const work = await openWork();
    await work.hand(0, ITEMS);
    const first = await take(`${work.id}-0`);
    await redis.flush();
    await expect(first.journal.notes.append('{"sending":[1]}\n')).rejects.toThrow(ConflictError);
    const end = work.ended(0, undefined);
    await opened.link.client.sadd('aisec:tenants', TENANT);
    await until(async () => (await waiting()) === 1);
    const { journal } = await take(`${work.id}-0`);
    expect([journal.continued, await (await journal.notes.read()).next()]).toEqual([true, '{"sending":[1,2]}\n']);
    await journal.commit('out.jsonl', 'application/jsonl');
    await end;
    await work.forget(0);
    expect(await opened.link.client.keys('aisec:shard:*')).toEqual([]);
  });

  it('that wait are taken back when the work stops, and kept when it is complete', async () => {
    const { client } = opened.link;
    const [stopped, complete] = [await openWork(), await openWork()];
    await stopped.hand(0, ITEMS);
    await complete.hand(0, ITEMS);
    const heard = opened.link.subscriber();
    const told: string[] = [];
    const subscriber = await heard;
    subscriber.on('message', (_, id) => told.push(id));
    await subscriber.subscribe('aisec:stops');
    await complete.close(true);
    expect([await waiting(), await client.exists(keyOf.stopped(complete.id))]).toEqual([2, 0]);
    await stopped.close(false);
    expect([await waiting(), await client.exists(keyOf.stopped(stopped.id))]).toEqual([1, 1]);
    expect(await client.exists(keyOf.shard(`${stopped.id}-0`, 'in'))).toBe(1);
    await subscriber.ping();
    expect(told).toEqual([stopped.id]);
    await openWork(stopped.id);
    expect(await client.exists(keyOf.stopped(stopped.id))).toBe(0);
  });
});
