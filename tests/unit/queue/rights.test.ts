/** The rights of the user at Redis: each that is missing is named at the start, and while the connection is open. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { ConfigurationError } from '../../../lib/core/errors.ts';
import { NEEDED, RIGHTS_HINT } from '../../../lib/runs/redis/connection/rights.ts';
import { openQueue } from '../../../lib/runs/redis/queue.ts';
import { until } from '../../support/machine.ts';
import { ROOT } from '../../support/program.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';

const redis = redisServer();
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

  it('with the rights that the hint names has all rights, and no trouble', async () => {
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

  scenario('redis-rights', 'whose password is another one is refused', async () => {
    await setUser(...ALL);
    const refused = await opening(urlOf('other'));
    expect(refused).toBeInstanceOf(ConfigurationError);
    expect(String(refused)).toContain('WRONGPASS');
  });

  scenario('redis-rights', 'is watched: a right or a password that it loses is named', async () => {
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
  it('has each command of the scripts of aisec and of its queue', () => {
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
