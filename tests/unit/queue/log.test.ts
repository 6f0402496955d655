/** Lines in Redis: one owner, and nothing lost by a restart that the owner still has. */
import { ConflictError } from '../../../lib/core/errors.ts';
import { openQueue, type Queue } from '../../../lib/runs/redis/queue.ts';
import { RedisLog, readLog } from '../../../lib/runs/redis/shards/log.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';

const redis = redisServer();
const ignore = () => undefined;

describeWithRedis('A log in Redis', () => {
  let queue: Queue;
  beforeEach(async () => {
    await redis.flush();
    queue = await openQueue({ url: redis.url });
    await queue.link.client.set('shard', 'payload');
  });
  afterEach(() => queue.close());

  /** Takes the log over. */
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
