/** Runs of several tenants, keys and days in one Redis. */
import { randomBytes } from 'node:crypto';
import { openQueue } from '../../../lib/runs/redis/queue.ts';
import { newAttempt } from '../../../lib/runs/redis/runs/accepted-runs.ts';
import { RunStore } from '../../../lib/runs/redis/runs/run-store.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { all, never, OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';
import { identityOf, newProfile, runsOn } from './runs-support.ts';

const redis = redisServer();

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
    for (const runs of [ours, theirs]) {
      await runs.close(0);
      await runs.disconnect();
    }
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
    await both.close(0);
    await both.disconnect();
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
    // A worker that was thought dead writes late.
    await store.progress(run.id, attempt, 'late');
    await store.event(run.id, attempt, 'task', {});
    const keys = await client.keys(`aisec:*${run.id}*`);
    const times = await Promise.all(keys.filter((key) => !key.startsWith('aisec:runs.')).map((key) => client.ttl(key)));
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
  });
});
