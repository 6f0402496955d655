/**
 * Accepted and kept runs: how many a token may have, which ended runs are removed, and the runs of several tenants,
 * keys and days.
 */

import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { QuotaError } from '../../../lib/core/errors.ts';
import { newRun, type Run } from '../../../lib/runs/port.ts';
import { keyOf } from '../../../lib/runs/redis/connection/names.ts';
import { openQueue } from '../../../lib/runs/redis/queue.ts';
import { AcceptedRuns, Attempted, newAttempt, ownerName } from '../../../lib/runs/redis/runs/accepted-runs.ts';
import { RunStore, unreadableRun } from '../../../lib/runs/redis/runs/run-store.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { all, never, OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';
import { identityOf, newProfile, queueForEach, runsOn } from './runs-support.ts';

const redis = redisServer();
const TENANT = 'c'.repeat(32);
let client: Redis;

describeWithRedis('Accepted runs', () => {
  beforeEach(async () => {
    await redis.flush();
    client = new Redis(redis.url);
  });
  afterEach(() => client.disconnect());

  const sums = () => client.hgetall(keyOf.acceptedSums);

  it('are counted for each token, with the bytes of their work', async () => {
    const accepted = new AcceptedRuns(client);
    await accepted.enter('1', TENANT, 'one', 10);
    await accepted.enter('2', TENANT, 'one', 5);
    await accepted.enter('3', TENANT, 'two', 7);
    expect(await sums()).toEqual({
      [`runs ${TENANT} one`]: '2',
      [`bytes ${TENANT} one`]: '15',
      [`runs ${TENANT} two`]: '1',
      [`bytes ${TENANT} two`]: '7',
    });
    expect(await client.hget(keyOf.accepted, '2')).toBe(`${TENANT} one 5`);
    await accepted.leave('2');
    expect(await sums()).toMatchObject({ [`runs ${TENANT} one`]: '1', [`bytes ${TENANT} one`]: '10' });
    await accepted.leave('2');
    expect(await sums()).toMatchObject({ [`runs ${TENANT} one`]: '1', [`bytes ${TENANT} one`]: '10' });
    await accepted.leave('1');
    expect(await sums()).toEqual({ [`runs ${TENANT} two`]: '1', [`bytes ${TENANT} two`]: '7' });
    await accepted.leave('3');
    expect([await sums(), await client.hgetall(keyOf.accepted)]).toEqual([{}, {}]);
  });

  it.each([
    ['runs', { runs: 2, bytes: 100 }, [1, 1], [1]],
    ['bytes', { runs: 100, bytes: 10 }, [4, 6], [1]],
    ['bytes in one work item', { runs: 100, bytes: 10 }, [], [11]],
  ])('of one token are limited by %s', async (_what, limits, fit, beyond) => {
    const accepted = new AcceptedRuns(client, limits);
    for (const [at, bytes] of fit.entries()) await accepted.enter(`fits ${at}`, TENANT, 'one', bytes);
    for (const bytes of beyond) await expect(accepted.enter('x', TENANT, 'one', bytes)).rejects.toThrow(QuotaError);
    expect(await client.hexists(keyOf.accepted, 'x')).toBe(0);
    // Another token, and the same name in another tenant, have separate runs.
    await accepted.enter('y', TENANT, 'two', 1);
    await accepted.enter('z', 'd'.repeat(32), 'one', 1);
    expect(await client.hlen(keyOf.accepted)).toBe(fit.length + 2);
  });

  it.each([keyOf.accepted, keyOf.acceptedSums])('%s of another kind is set aside', async (key) => {
    await client.set(key, 'garbage');
    await new AcceptedRuns(client).enter('1', TENANT, 'one', 1);
    expect([await client.type(key), await client.get(`${key}:aside`)]).toEqual(['hash', 'garbage']);
  });

  it('with an unreadable entry are removed completely', async () => {
    await client.hset(keyOf.accepted, { x: 'garbage' });
    await new AcceptedRuns(client).leave('x');
    expect([await client.hexists(keyOf.accepted, 'x'), await sums()]).toEqual([0, {}]);
  });

  it('that have ended are removed if they are old or followed by a thousand newer runs', async () => {
    const accepted = new AcceptedRuns(client);
    const index = keyOf.ownRuns(TENANT, 'one', 'ended');
    await client.zadd(index, ...Array.from({ length: 1003 }, (_, at) => [at + 1, `run ${at + 1}`]).flat());
    expect(await accepted.old(TENANT, 'one', 0)).toEqual(['run 1', 'run 2', 'run 3']);
    expect(await accepted.old(TENANT, 'one', 4)).toEqual(['run 1', 'run 2', 'run 3', 'run 4']);
    expect(await accepted.old(TENANT, 'two', 4)).toEqual([]);
    await client.zremrangebyrank(index, 0, 2);
    expect(await accepted.old(TENANT, 'one', 0)).toEqual([]);
  });

  it('name a token by a digest of sixteen digits', () => {
    expect(ownerName('ci@')).toMatch(/^[0-9a-f]{16}$/);
    expect(ownerName('ci@')).not.toBe(ownerName('ci'));
  });
});

describeWithRedis('Runs that have ended', () => {
  const opened = queueForEach(redis);
  let store: RunStore;
  beforeEach(() => {
    client = opened.link.client;
    store = new RunStore(client, opened.seal);
  });

  const OWN = { ...OWNER, identity: TENANT };
  let count = 0;
  /** Puts a run into Redis, as its start does. */
  async function create(caller = 'ci@'): Promise<Run> {
    count += 1;
    const id = count.toString(16).padStart(24, '0');
    const run = newRun(id, { ...OWN, caller }, WORK, new Date(1e12 + count).toISOString());
    const work = { work: WORK, simulates: true, label: '' };
    await store.accept({ run, work, tenant: TENANT });
    await client.set(`job:${id}`, '1');
    const deadline = Number.MAX_SAFE_INTEGER;
    const [script, keys, ...values] = store.creation({ run, work, tenant: TENANT, job: `job:${id}`, deadline });
    expect(await client.eval(script, keys, ...values)).toBe(1);
    return run;
  }
  const end = (run: Run, ended: string) => store.end({ ...run, state: 'succeeded', ended }, '');

  it('older than a day are removed when the next run of their token ends', async () => {
    const [old, others, day, latest] = [await create(), await create('other'), await create(), await create()];
    await end(old, '2026-01-01T00:00:00.000Z');
    await end(others, '2026-01-01T00:00:00.000Z');
    await end(day, '2026-01-01T00:00:00.002Z');
    expect((await store.list(TENANT)).length).toBe(4);
    await end(latest, '2026-01-02T00:00:00.001Z');
    const left = (await store.list(TENANT)).map(({ id }) => id);
    expect(left).toEqual([latest.id, day.id, others.id]);
    expect((await store.list(TENANT, 'ci@')).map(({ id }) => id)).toEqual([latest.id, day.id]);
    expect(await client.keys(`aisec:run:${old.id}:*`)).toEqual([]);
    expect(await client.zrange(keyOf.ownRuns(TENANT, ownerName('ci@'), 'ended'), '0', '-1')).toEqual([
      day.id,
      latest.id,
    ]);
  });

  it('no longer count after their end, whether they are known or not', async () => {
    const [one, two] = [await create(), await create()];
    expect(await client.hlen(keyOf.accepted)).toBe(2);
    expect(await end(one, '2026-01-01T00:00:00.000Z')).toBe(true);
    const attempt = newAttempt(false);
    await store.begin(two.id, '', attempt, { ...two, state: 'running' });
    expect(await store.doubt(two, attempt, 'the worker ended')).toBe(true);
    expect([await client.hlen(keyOf.accepted), await client.hgetall(keyOf.acceptedSums)]).toEqual([0, {}]);
    expect(await store.end({ ...one, state: 'failed' }, 'again other')).toBe(false);
  });

  it('that were refused are withdrawn unless an attempt has started', async () => {
    const [one, two] = [await create(), await create()];
    expect(await store.withdraw(one, TENANT)).toBe(true);
    expect([await store.find(one.id), await client.hexists(keyOf.accepted, one.id)]).toEqual([undefined, 0]);
    await store.begin(two.id, '', newAttempt(true), undefined);
    expect(await store.withdraw(two, TENANT)).toBe(false);
    expect(await client.hexists(keyOf.accepted, two.id)).toBe(1);
    expect((await store.list(TENANT)).map(({ id }) => id)).toEqual([two.id]);
  });

  it('are listed despite a damaged record, which only an administrator sees', async () => {
    const [whole, damaged, odd] = [await create(), await create(), await create()];
    await client.set(keyOf.run(damaged.id, 'run'), 'a secret that is no record');
    await client.set(keyOf.run(odd.id, 'run'), 'garbage');
    await client.zadd(keyOf.runs(TENANT), 1e300, odd.id);
    const found = await store.list(TENANT);
    expect(found.map(({ id, state }) => [id, state])).toEqual([
      [odd.id, 'unreadable'],
      [damaged.id, 'unreadable'],
      [whole.id, 'queued'],
    ]);
    expect(found.map(({ created }) => created)).toEqual(['1970-01-01T00:00:00.000Z', damaged.created, whole.created]);
    expect(found[1]).toMatchObject({ command: '', owner: { tenant: '', caller: '', identity: TENANT, limits: {} } });
    expect(found[1]).toMatchObject({ started: null, ended: null, progress: null });
    expect(JSON.stringify(found)).not.toContain('secret');
    expect((await store.list(TENANT, 'ci@')).map(({ id }) => id)).toEqual([whole.id]);
  });

  it('are removed with all their keys, and from every list', async () => {
    const run = await create();
    const attempt = newAttempt(true);
    await store.begin(run.id, '', attempt, { ...run, state: 'running' });
    await client.set(keyOf.stopped(run.id), '1');
    await store.progress(run.id, attempt, 'half');
    await store.end({ ...run, state: 'succeeded', result: 1, ended: '2026-01-01T00:00:00.000Z' }, attempt);
    await store.remove(run.id, TENANT);
    const left = await client.keys(`aisec:*${run.id}*`);
    const lists = await Promise.all(
      [keyOf.runs(TENANT), ...(['all', 'ended'] as const).map((w) => keyOf.ownRuns(TENANT, ownerName('ci@'), w))].map(
        (list) => client.zcard(list),
      ),
    );
    expect([left, lists]).toEqual([[], [0, 0, 0]]);
  });
});

describe('A record that cannot be read', () => {
  it.each([
    [8.64e15 - 1, '+275760-09-12T23:59:59.999Z'],
    [8.64e15, '1970-01-01T00:00:00.000Z'],
    [Number.NaN, '1970-01-01T00:00:00.000Z'],
  ])('of the time %p has the date %s', (created, expected) => {
    expect(unreadableRun('1', created, TENANT, new Error('.')).created).toBe(expected);
  });

  it('is reported as damaged with what to check, without its text', () => {
    const { error } = unreadableRun('1', 0, TENANT, new SyntaxError('Unexpected token s in secret'));
    expect(error).toMatchObject({
      message: 'The record of this run is damaged.',
      hint: 'Check which other programs write to this Redis. The record expires within two weeks.',
    });
  });
});

describe('The memory of attempts', () => {
  it('keeps the latest ten thousand', () => {
    const attempted = new Attempted();
    for (let id = 0; id < 10_000; id += 1) attempted.add(String(id));
    expect([attempted.has('0'), attempted.has('9999')]).toEqual([true, true]);
    attempted.add('10000');
    expect([attempted.has('0'), attempted.has('1'), attempted.has('10000')]).toEqual([false, true, true]);
  });
});

describeWithRedis('Runs on the queue', () => {
  scenario('tenant-identity', 'hides a run from a service with another tenant under the same label', async () => {
    const profile = newProfile();
    const [ours, theirs] = [await runsOn(redis.url, profile), await runsOn(redis.url, newProfile())];
    const run = await ours.start(OWNER, WORK);
    expect(await theirs.find(run.id)).toBeUndefined();
    expect(await all(theirs.events(run.id, 0, never))).toEqual([]);
    await theirs.stop(run.id);
    await theirs.remove(run.id);
    expect((await theirs.list('')).map(({ id }) => id)).not.toContain(run.id);
    expect(await ours.find(run.id)).toMatchObject({ state: 'queued' });
    expect((await ours.list('')).map(({ id }) => id)).toEqual([run.id]);
    for (const runs of [ours, theirs]) await runs.end();
  });

  scenario('rotation', 'lists a run of another key as unreadable, among readable runs', async () => {
    const profile = newProfile();
    const [older, newer] = ['old', 'new'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);
    const before = await runsOn(redis.url, profile, undefined, older);
    const { id: first } = await before.start(OWNER, WORK);
    await before.disconnect();
    const after = await runsOn(redis.url, profile, undefined, newer);
    const { id: second } = await after.start(OWNER, WORK);
    const found = await after.list('');
    expect(new Map(found.map(({ id, state }) => [id, state]))).toEqual(
      new Map([
        [first, 'unreadable'],
        [second, 'queued'],
      ]),
    );
    expect(JSON.stringify(found.find(({ id }) => id === first)?.error)).toContain('the key \\"old\\"');
    await expect(after.find(first)).rejects.toThrow('AISEC_QUEUE_KEY does not have it');
    await after.disconnect();
    const both = await runsOn(redis.url, profile, undefined, `${newer},${older}`);
    expect((await both.list('')).map(({ state }) => state)).toEqual(['queued', 'queued']);
    await both.end();
  });

  scenario('retention', 'removes an ended run after a day, also from the list', async () => {
    const profile = newProfile();
    const runs = await runsOn(redis.url, profile);
    const { link, seal, close } = await openQueue({ url: redis.url });
    const { client } = link;
    const store = new RunStore(client, seal);
    const run = await runs.start(OWNER, WORK);
    const attempt = newAttempt(false);
    await store.begin(run.id, '', attempt, { ...run, state: 'running' });
    await store.progress(run.id, attempt, 'half');
    await client.set(`aisec:stopped:${run.id}`, '1', 'EX', 7 * 86_400);
    await store.end({ ...run, state: 'failed', ended: run.created, result: { large: true } }, attempt, true);
    // A worker that was considered dead writes late.
    await store.progress(run.id, attempt, 'late');
    await store.event(run.id, attempt, 'task', {});
    const keys = await client.keys(`aisec:*${run.id}*`);
    const times = await Promise.all(keys.filter((key) => !key.startsWith('aisec:runs.')).map((key) => client.ttl(key)));
    expect(keys).toContain(`aisec:run:${run.id}:events`);
    expect(Math.min(...times)).toBeGreaterThan(0);
    expect(Math.max(...times)).toBeLessThanOrEqual(86_400);
    // As if a day had passed.
    await client.del(`aisec:run:${run.id}:run`);
    expect(await runs.list('')).toEqual([]);
    expect(await client.zcard(`aisec:runs:${identityOf(profile)}`)).toBe(0);
    await store.event(run.id, attempt, 'task', {});
    await store.progress(run.id, attempt, 'later still');
    expect(await client.ttl(`aisec:run:${run.id}:progress`)).toBeLessThanOrEqual(86_400);
    await close();
    await runs.end();
  });
});
