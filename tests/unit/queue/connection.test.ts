/** Connections: channel messages, stops, live workers, what Redis would lose, and a user's permissions in Redis. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { ConfigurationError, NetworkError } from '../../../lib/core/errors.ts';
import { Bells } from '../../../lib/runs/redis/connection/bells.ts';
import { keyOf, STOPS } from '../../../lib/runs/redis/connection/names.ts';
import { NEEDED, RIGHTS_HINT } from '../../../lib/runs/redis/connection/permissions.ts';
import { checkPersistence, openQueue } from '../../../lib/runs/redis/queue.ts';
import { announceTenant, seenTenants, tenantLabels, tenantTitle } from '../../../lib/runs/redis/workers/tenants.ts';
import { CurrentJobs, listenForStops } from '../../../lib/runs/redis/workers/worker.ts';
import { listWorkers, reportAlive, type WorkerRecord, workerCount } from '../../../lib/runs/redis/workers/workers.ts';
import { until } from '../../support/machine.ts';
import { ROOT } from '../../support/program.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';
import { queueForEach } from './runs-support.ts';

const redis = redisServer();
const TENANT = 'a'.repeat(32);

const RECORD: WorkerRecord = {
  ...{ id: 'a', host: 'h', pid: 1, version: '1', slots: 3, tenants: [TENANT], started: '', shards: 0, runs: 0 },
};

describeWithRedis('A connection', () => {
  const opened = queueForEach(redis);

  it('notifies each listener of a channel on its message, and keeps an early notification', async () => {
    const bells = await Bells.open(opened.link);
    const [one, two] = [await bells.listen('here'), await bells.listen('here')];
    const other = await bells.listen('there');
    const rings = [one, two, other].map((bell) => bell.next());
    expect(rings.map((ring) => ring.isOver())).toEqual([false, false, false]);
    await opened.link.client.publish('here', '1');
    await Promise.all([rings[0]?.rung, rings[1]?.rung]);
    expect(rings.map((ring) => ring.isOver())).toEqual([true, true, false]);
    expect(one.next().isOver()).toBe(false);
    bells.close();
  });

  it('unsubscribes from a channel with its last listener', async () => {
    const bells = await Bells.open(opened.link);
    const [one, two] = [await bells.listen('here'), await bells.listen('here')];
    const { client } = opened.link;
    one.close();
    const ring = two.next();
    expect(await client.publish('here', '1')).toBe(1);
    await ring.rung;
    two.close();
    await until(async () => (await client.publish('here', '1')) === 0);
    bells.close();
  });

  it('stops the work of a worker on a message, or on a check if the message was lost', async () => {
    const current = new CurrentJobs();
    const stops = await listenForStops(opened.link, current);
    const [told, lost, other] = ['told', 'lost', 'other'].map((id) => current.add('runs', id).signal);
    const { client } = opened.link;
    const heard = new Promise((resolve) => told?.addEventListener('abort', resolve));
    await client.publish(STOPS, 'told');
    await heard;
    await client.set(keyOf.stopped('lost'), '1');
    expect(lost?.aborted).toBe(false);
    await stops.look();
    expect([told?.aborted, lost?.aborted, other?.aborted]).toEqual([true, true, false]);
    stops.close();
  });

  it('lists the workers that are alive, and the slots of a tenant', async () => {
    const { client } = opened.link;
    await reportAlive(client, RECORD);
    await reportAlive(client, { ...RECORD, id: 'b', slots: 4, tenants: [TENANT, 'other'] });
    const workers = await listWorkers(client);
    expect(workers.map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
    expect(workers.find(({ id }) => id === 'a')).toEqual(RECORD);
    expect([await workerCount(client, TENANT), await workerCount(client, 'other')]).toEqual([7, 4]);
    expect(await workerCount(client, 'none')).toBe(0);
    const left = await client.ttl(keyOf.worker('a'));
    expect(left > 5 && left <= 15).toBe(true);
  });

  it.each<[string, unknown]>([
    ...(['id', 'host', 'version', 'started'] as const).map((name): [string, unknown] => [name, 1]),
    ...(['pid', 'slots', 'shards', 'runs'] as const).flatMap((name): [string, unknown][] => [
      [name, -1],
      [name, '1'],
    ]),
    ['slots', 0.5],
    ['tenants', TENANT],
    ['tenants', [1]],
    ['tenants', [TENANT, 1]],
  ])('ignores a worker whose %s is %j', async (name, value) => {
    const { client } = opened.link;
    await reportAlive(client, RECORD);
    await client.set(keyOf.worker('x'), JSON.stringify({ ...RECORD, id: 'x', [name]: value }));
    expect(await listWorkers(client)).toEqual([RECORD]);
  });

  it('reports what Redis would lose, and how to start it', async () => {
    const { client, name } = opened.link;
    const hint = 'Start it with: redis-server --appendonly yes --maxmemory-policy noeviction';
    await client.config('SET', 'appendonly', 'no');
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const losses = [
      `Redis at ${name} has no append-only file: after a crash it forgets runs, and changes may be repeated.`,
      `Redis at ${name} removes keys when its memory is full (allkeys-lru): runs may be lost.`,
    ];
    const warnings: string[] = [];
    await checkPersistence(opened.link, false, (warning) => warnings.push(warning));
    const strict = await checkPersistence(opened.link, true, () => undefined).catch((thrown: unknown) => thrown);
    await client.config('SET', 'appendonly', 'yes');
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    expect(warnings).toEqual(losses.map((loss) => `${loss} ${hint}`));
    expect(strict).toBeInstanceOf(ConfigurationError);
    expect(strict).toMatchObject({ message: losses.join(' '), hint });
  });

  it('leaves no timer when it is closed after one of its parts', async () => {
    const closing = await openQueue({ url: redis.url });
    const part = await closing.link.subscriber();
    const ended = once(part, 'end');
    part.disconnect();
    await ended;
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    await closing.close();
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('that requires a password reports where to set it', async () => {
    const { client } = opened.link;
    await client.config('SET', 'requirepass', 'hunter2');
    const refused = await openQueue({ url: redis.url }).catch((thrown: unknown) => thrown);
    await client.config('SET', 'requirepass', '');
    expect(refused).toBeInstanceOf(ConfigurationError);
    expect((refused as Error).message).toMatch(`Redis at 127.0.0.1:${redis.port} refuses this client: NOAUTH`);
    expect(refused).toMatchObject({ hint: RIGHTS_HINT });
    expect(RIGHTS_HINT).toContain('redis://USER:PASSWORD@HOST:PORT');
  });

  it('without a Redis says how to start Redis, and that nothing was sent', async () => {
    const thrown = await openQueue({ url: 'redis://127.0.0.1:1' }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(NetworkError);
    const message = 'Cannot reach Redis at 127.0.0.1:1 (connect ECONNREFUSED 127.0.0.1:1).';
    const hint = 'Start it with: redis-server --appendonly yes --maxmemory-policy noeviction';
    expect(thrown).toMatchObject({ message, hint, sent: false });
  });
});

describe('What a worker does', () => {
  it('is counted by kind and named once until its end', () => {
    const current = new CurrentJobs();
    const [first] = [current.add('runs', 'a'), current.add('runs', 'a'), current.add('shards', 'b')];
    expect([current.counts(), current.ids()]).toEqual([{ shards: 1, runs: 2 }, ['a', 'b']]);
    first.done();
    expect(current.counts()).toEqual({ shards: 1, runs: 1 });
  });

  it('ends by kind, including later work', () => {
    const current = new CurrentJobs();
    const [run, shard] = [current.add('runs', 'a'), current.add('shards', 'b')];
    current.halt('runs');
    expect([run.signal.aborted, shard.signal.aborted]).toEqual([true, false]);
    expect([current.isHalted('runs'), current.isHalted('shards')]).toEqual([true, false]);
    expect([current.add('runs', 'c'), current.add('shards', 'd')].map(({ signal }) => signal.aborted)).toEqual([
      true,
      false,
    ]);
  });
});

describeWithRedis('Tenants that the queue has seen', () => {
  const opened = queueForEach(redis);

  const id = (digit: string) => digit.repeat(32);

  it('are in order, without names that aisec did not write', async () => {
    const { client } = opened.link;
    for (const identity of [id('b'), id('a')]) await announceTenant(client, { identity, label: 'live' });
    await announceTenant(client, { identity: id('a'), label: '' });
    await client.sadd('aisec:tenants', 'default', '', 'A'.repeat(32), 'a'.repeat(31), 'x');
    expect(await seenTenants(client)).toEqual([id('a'), id('b')]);
    expect(await tenantLabels(client, id('a'))).toEqual(['', 'live']);
    expect(await tenantLabels(client, id('c'))).toEqual([]);
    expect(await client.ttl(`aisec:labels:${id('a')}`)).toBeGreaterThan(604_700);
  });

  it('are at most ten thousand, with labels of a hundred characters', async () => {
    const { client } = opened.link;
    const all = Array.from({ length: 10_001 }, (_, at) => at.toString(16).padStart(32, '0'));
    await client.sadd('aisec:tenants', ...all);
    await client.sadd(`aisec:labels:${id('a')}`, 'x'.repeat(101));
    expect(await seenTenants(client)).toHaveLength(10_000);
    expect(await tenantLabels(client, id('a'))).toEqual(['x'.repeat(100)]);
  });

  it('have a readable title, with the beginning of their identity', () => {
    expect(tenantTitle(id('a'), ['', 'live'])).toBe('no profile, live (aaaaaaaa)');
    expect(tenantTitle(id('a'), [])).toBe('unknown (aaaaaaaa)');
  });
});

const NAMES = [...new Set(NEEDED.map((call) => call.split(' ')[0] ?? ''))];
const ALL = ['~aisec:*', '&aisec:*', '+@all', '-@admin'];

let admin: Redis;
const setUser = (...rules: string[]) => admin.call('ACL', 'SETUSER', 'u', 'reset', 'on', '>secret', ...rules);
const urlOf = (password = 'secret') => `redis://u:${password}@127.0.0.1:${redis.port}`;
const opening = (url = urlOf()): Promise<unknown> => openQueue({ url }).catch((thrown: unknown) => thrown);

describeWithRedis('A user at Redis', () => {
  beforeAll(() => {
    admin = new Redis(redis.url);
  });
  afterAll(() => admin.disconnect());

  it('with the permissions that the hint names has all permissions, and no problem', async () => {
    expect(RIGHTS_HINT).toContain(ALL.join(' '));
    await setUser(...ALL);
    const { link, close } = await openQueue({ url: urlOf() });
    expect(await link.trouble()).toBeUndefined();
    await close();
  });

  scenario.each(NAMES.map((name) => ({ name })))(
    'redis-rights',
    'without $name is refused at the start by its name',
    async ({ name }) => {
      jest.spyOn(console, 'warn').mockImplementation(() => undefined);
      await setUser(...ALL, `-${name}`);
      const refused = await opening();
      expect(refused).toBeInstanceOf(ConfigurationError);
      expect((refused as Error).message.toUpperCase()).toContain(name);
      expect(refused).toMatchObject({ hint: RIGHTS_HINT });
    },
  );

  scenario.each([
    { what: 'no keys', rules: ['resetkeys'], named: 'GET aisec:probe' },
    { what: 'another pattern of keys', rules: ['resetkeys', '~other:*'], named: 'GET aisec:probe' },
    {
      what: 'keys of runs only',
      rules: ['resetkeys', '~aisec:run*', '~aisec:probe'],
      named: 'GET aisec:shards.probe:wait',
    },
    { what: 'keys that it only reads', rules: ['resetkeys', '%R~aisec:*'], named: 'DEL aisec:probe' },
    { what: 'keys that it only writes', rules: ['resetkeys', '%W~aisec:*'], named: 'GET aisec:probe' },
    { what: 'no channels', rules: ['resetchannels'], named: 'SUBSCRIBE aisec:probe' },
    {
      what: 'the channel of stops only',
      rules: ['resetchannels', '&aisec:stops', '&aisec:probe'],
      named: 'SUBSCRIBE aisec:bell:probe',
    },
    { what: 'no scripts', rules: ['-@scripting'], named: "'eval' command" },
    { what: 'no transactions', rules: ['-@transaction'], named: 'MULTI, EXEC' },
  ])('redis-rights', 'with $what is refused at the start', async ({ rules, named }) => {
    await setUser(...ALL, ...rules);
    expect(String(await opening())).toContain(named);
  });

  scenario('redis-rights', 'with another password is refused', async () => {
    await setUser(...ALL);
    const refused = await opening(urlOf('other'));
    expect(refused).toBeInstanceOf(ConfigurationError);
    expect(String(refused)).toContain('WRONGPASS');
  });

  scenario('redis-rights', 'is monitored: a lost permission or password is named', async () => {
    await setUser(...ALL);
    const { link, close } = await openQueue({ url: urlOf() });
    try {
      await setUser(...ALL, '-hset');
      expect(await link.trouble()).toContain('it has no right to HSET');
      await admin.call('ACL', 'SETUSER', 'u', 'resetpass', '>changed', '+hset');
      await admin.client('KILL', 'USER', 'u');
      await until(async () => (await link.trouble())?.includes('WRONGPASS') === true);
      expect(await link.trouble()).toContain(`Redis at 127.0.0.1:${redis.port}`);
    } finally {
      await close();
    }
  });
});

describe('The list of rights', () => {
  it('has each command in the scripts of aisec and its queue', () => {
    const folders = [
      join(ROOT, 'node_modules', 'bullmq', 'dist', 'cjs', 'scripts'),
      ...['runs', 'shards'].map((name) => join(ROOT, 'lib', 'runs', 'redis', name)),
    ];
    const texts = folders.flatMap((folder) =>
      readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')),
    );
    const found = texts.flatMap((text) =>
      [...text.matchAll(/call\(\s*\\?['"](\w+)/gi)].map(([, name = '']) => name.toUpperCase()),
    );
    expect(found.length).toBeGreaterThan(50);
    expect([...new Set(found)].filter((name) => !NAMES.includes(name))).toEqual([]);
  });
});
