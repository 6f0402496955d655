/** Shards: what workers receive, how results return, takeovers, and the lines they keep in Redis. */
import { ConflictError, UsageError } from '../../../lib/core/errors.ts';
import type { Journal } from '../../../lib/core/ports.ts';
import { keyOf } from '../../../lib/runs/redis/connection/names.ts';
import { openQueue, type Queue } from '../../../lib/runs/redis/queue.ts';
import { RedisLog, readLog } from '../../../lib/runs/redis/shards/log.ts';
import { OwnShard } from '../../../lib/runs/redis/shards/shard-worker.ts';
import { queueShards } from '../../../lib/runs/redis/shards/shards.ts';
import { queueStatus } from '../../../lib/runs/redis/status.ts';
import { startWorker } from '../../../lib/runs/redis/workers/worker.ts';
import { reportAlive } from '../../../lib/runs/redis/workers/workers.ts';
import { until } from '../../support/machine.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';
import { queueForEach } from './runs-support.ts';

// A busy disk delays the writes of `everysec`; the restart tests need the state from before the kill.
const redis = redisServer('--appendfsync', 'always');
const TENANT = 'a'.repeat(32);
const COMMAND = { command: 'aisec-runtime-bulk-scan', args: { profile_name: 'prod' }, perSecond: 5 };
const ITEMS = [
  { row: 7, text: 'seven', columns: {} },
  { row: 9, text: 'nine', columns: {} },
] as unknown as Parameters<Awaited<ReturnType<ReturnType<typeof queueShards>['open']>>['hand']>[1];
const RECORD = { host: 'h', pid: 1, version: '1', tenants: [TENANT], started: '', shards: 0, runs: 0 };

describeWithRedis('Shards', () => {
  const works: { close(isComplete: boolean): Promise<void> }[] = [];
  const opened = queueForEach(redis);
  afterEach(async () => {
    for (const work of works.splice(0)) await work.close(true);
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

  it('that wait are withdrawn when the work stops, and kept when it is complete', async () => {
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

const ID = 'work-1';

describeWithRedis('A shard', () => {
  const opened: Queue[] = [];
  const connect = async () => {
    const queue = await openQueue({ url: redis.url });
    opened.push(queue);
    return queue;
  };
  beforeEach(async () => {
    await redis.flush();
    const { link, seal } = await connect();
    const payload = {
      command: 'aisec-runtime-bulk-scan',
      args: {},
      simulates: true,
      tenant: { identity: TENANT, label: '' },
      work: 'work',
      rows: [7, 8, 9],
      items: [],
    };
    await link.client.set(keyOf.shard(ID, 'in'), seal.seal(keyOf.shard(ID, 'in'), JSON.stringify(payload)));
  });
  afterEach(async () => {
    for (const queue of opened.splice(0)) await queue.close();
  });

  async function take() {
    const { link, seal } = await connect();
    const shard = await OwnShard.take(link, seal, ID, TENANT);
    if (shard === undefined) throw new Error('Nothing is left to do.');
    const journal = await shard.files.journal('out.jsonl', false);
    if (journal === undefined) throw new Error('The shard has no journal.');
    return { shard, journal };
  }

  /** Reads the notes as a resuming run does. */
  async function notesOf({ notes }: Journal): Promise<unknown[]> {
    const text = (await (await notes.read()).next()) ?? '';
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);
  }
  /** Kills Redis, which then reads its file again. */
  async function restart() {
    for (const queue of opened.splice(0)) await queue.close();
    await redis.kill();
    await redis.start();
  }
  it('is refused on the queue of another tenant, and keeps its owner', async () => {
    const { shard } = await take();
    const { link, seal } = await connect();
    await expect(OwnShard.take(link, seal, ID, 'b'.repeat(32))).rejects.toThrow('belongs to another tenant');
    await shard.fail(new UsageError('The owner can still end it.'));
    expect(await link.client.exists(keyOf.shard(ID, 'end'))).toBe(1);
  });
  it('that is new has no notes', async () => {
    const { journal } = await take();
    expect([journal.continued, await notesOf(journal)]).toEqual([false, []]);
  });

  it('that another worker takes over has only the notes of the first worker', async () => {
    const { journal: first } = await take();
    await first.notes.append('{"sending":[1]}\n');
    const { journal } = await take();
    expect([journal.continued, await notesOf(journal)]).toEqual([true, [{ sending: [1] }]]);
  });

  it('notes every prompt as sent after a restart of Redis, which may have lost the last notes', async () => {
    await take();
    await restart();
    const { journal } = await take();
    expect([journal.continued, await notesOf(journal)]).toEqual([true, [{ sending: [1, 2, 3] }]]);
  });

  it('notes nothing as sent after a restart of Redis before its first worker', async () => {
    await restart();
    const { journal } = await take();
    expect([journal.continued, await notesOf(journal)]).toEqual([false, []]);
  });

  it('keeps its results when its worker commits, and is not processed again', async () => {
    const { shard, journal } = await take();
    await journal.results.append('{"row":7}\n');
    expect(shard.isCommitted()).toBe(false);
    await journal.commit('out.jsonl', 'application/jsonl');
    expect(shard.isCommitted()).toBe(true);
    const { link, seal } = await connect();
    expect(await readLog(link.client, seal, keyOf.shard(ID, 'results'))).toEqual(['{"row":7}']);
    expect(await link.client.exists(keyOf.shard(ID, 'end'))).toBe(1);
    expect(await OwnShard.take(link, seal, ID, TENANT)).toBeUndefined();
  });

  it('cannot be ended by a worker after a take-over', async () => {
    const first = await take();
    const second = await take();
    await expect(first.journal.commit('out.jsonl', 'application/jsonl')).rejects.toThrow(ConflictError);
    await expect(first.shard.fail(new UsageError('Nothing.'))).rejects.toThrow(ConflictError);
    expect([first.shard.isCommitted(), first.shard.trouble()]).toEqual([false, undefined]);
    await second.journal.commit('out.jsonl', 'application/jsonl');
    expect(second.shard.isCommitted()).toBe(true);
  });

  it('that is suspended keeps the results that were still in memory, for the next worker', async () => {
    const { journal } = await take();
    await journal.results.append('{"row":7}\n');
    await journal.results.append('{"row":8}\n');
    await journal.suspend();
    const next = await take();
    expect(next.journal.continued).toBe(true);
    expect(await (await next.journal.results.read()).next()).toBe('{"row":7}\n{"row":8}\n');
  });

  it('gives its command only the file of its rows', async () => {
    const { files } = (await take()).shard;
    await expect(files.find('in.txt')).rejects.toThrow('no files but its journal');
    await expect(files.create('out.txt', 'text/plain')).rejects.toThrow('no files but its journal');
  });

  it('that was removed is not taken over', async () => {
    const { link, seal } = await connect();
    expect(await OwnShard.take(link, seal, 'work-2', TENANT)).toBeUndefined();
  });
});

const ignore = () => undefined;

describeWithRedis('A log in Redis', () => {
  const queue = queueForEach(redis);
  beforeEach(async () => {
    await queue.link.client.set('shard', 'payload');
  });

  /** Takes over the log. */
  async function open(value: string) {
    const { client } = queue.link;
    await client.set('owner', value);
    const owner = { keys: ['owner', 'shard'], value } as const;
    return RedisLog.open({ client, seal: queue.seal, key: 'log', owner, onError: ignore });
  }
  const lines = () => readLog(queue.link.client, queue.seal, 'log');

  it('keeps lines in order for the next owner', async () => {
    const first = await open('first');
    await Promise.all(['a\n', 'b\nc\n', 'd\n'].map((text) => first.append(text)));
    expect(await lines()).toEqual(['a', 'b', 'c', 'd']);
    const second = await open('second');
    expect(second.earlier).toEqual(['a', 'b', 'c', 'd']);
    await second.append('e\n');
    expect(await lines()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('accepts nothing from an owner after a take-over', async () => {
    const first = await open('first');
    const second = await open('second');
    await expect(first.append('late\n')).rejects.toThrow(ConflictError);
    await second.append('mine\n');
    expect(await lines()).toEqual(['mine']);
  });

  it.each([
    ['all of it', async () => queue.link.client.del('log')],
    [
      'its end',
      async () => queue.link.client.set('log', (await queue.link.client.getBuffer('log'))?.subarray(0, 30) ?? ''),
    ],
    ['its owner', async () => queue.link.client.del('owner')],
    ['all of it and its owner', async () => queue.link.client.del('log', 'owner')],
  ])('is complete again after a restart has lost %s', async (_what, lose) => {
    const log = await open('first');
    await log.append('a\n');
    await log.append('b\n');
    await lose();
    await log.append('c\n');
    expect(await lines()).toEqual(['a', 'b', 'c']);
    await lose();
    await log.restore();
    expect(await lines()).toEqual(['a', 'b', 'c']);
  });

  it('is not written again after the shard was removed', async () => {
    const log = await open('first');
    await log.append('a\n');
    await queue.link.client.del('shard', 'owner', 'log');
    await expect(log.append('b\n')).rejects.toThrow(ConflictError);
    expect(await lines()).toEqual([]);
  });

  it('is read up to its last complete frame', async () => {
    const log = await open('first');
    await log.append('a\n');
    await queue.link.client.append('log', Buffer.from([0, 0, 1, 0, 7]));
    expect(await lines()).toEqual(['a']);
    const second = await open('second');
    await second.append('b\n');
    expect(await lines()).toEqual(['a', 'b']);
  });
});
