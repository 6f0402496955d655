/** A shard that is taken over: what the next worker knows about its prompts. */
import { ConflictError, UsageError } from '../../../lib/core/errors.ts';
import type { Journal } from '../../../lib/core/ports.ts';
import { keyOf } from '../../../lib/runs/redis/connection/names.ts';
import { openQueue, type Queue } from '../../../lib/runs/redis/queue.ts';
import { readLog } from '../../../lib/runs/redis/shards/log.ts';
import { OwnShard } from '../../../lib/runs/redis/shards/shard-worker.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';

// A disk that is busy delays the writes of `everysec`; these tests need the state from before the kill.
const redis = redisServer('--appendfsync', 'always');
const ID = 'work-1';
const TENANT = 'a'.repeat(32);

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

  /** Reads the notes as a run does that continues. */
  async function notesOf({ notes }: Journal): Promise<unknown[]> {
    const text = (await (await notes.read()).next()) ?? '';
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);
  }
  /** Redis is killed, and reads its file again. */
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
