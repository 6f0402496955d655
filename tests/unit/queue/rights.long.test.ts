/** Redis permissions and signals in the built program: it names missing permissions, backs off, and always ends. */
import { Redis } from 'ioredis';
import { exchange } from '../../hosts/http/support.ts';
import { machineClock, until } from '../../support/machine.ts';
import { program } from '../../support/program.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { queueProcesses } from './processes.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';

const redis = redisServer();
const TOKEN = 'token-of-this-test-0123';
const ALL = ['~aisec:*', '&aisec:*', '+@all', '-@admin'];
const { run } = queueProcesses(program({ withCatalogue: true }), () => ({
  AISEC_QUEUE_URL: `redis://u:secret@127.0.0.1:${redis.port}`,
  AISEC_SERVE_TOKEN: TOKEN,
}));
const HOSTS = {
  worker: ['worker', '--simulate', '--grace', '2'],
  serve: ['serve', '--simulate', '--port', '0', '--grace', '2'],
} as const;
type Host = keyof typeof HOSTS;
const EACH: readonly { readonly host: Host }[] = [{ host: 'worker' }, { host: 'serve' }];
const READY = { worker: 'waits for work', serve: 'The service listens on ' };

let admin: Redis;
const setUser = (...rules: string[]) => admin.call('ACL', 'SETUSER', 'u', ...rules);

/** Counts the commands sent to Redis, including refused commands. */
async function commands(): Promise<number> {
  const stats = await admin.info('commandstats');
  return [...stats.matchAll(/calls=(\d+).*?rejected_calls=(\d+)/g)].reduce(
    (sum, [, done, refused]) => sum + Number(done) + Number(refused),
    0,
  );
}

async function started(host: Host) {
  const one = run(HOSTS[host]);
  await one.says(READY[host]);
  return one;
}

/** Sends SIGTERM. @returns the time to the end, in milliseconds */
async function stopped({ child, end }: ReturnType<typeof run>): Promise<number> {
  const since = machineClock.elapsed();
  child.kill('SIGTERM');
  await end;
  return machineClock.elapsed() - since;
}

/** Time beyond the grace period that a busy machine may take, in milliseconds. */
const BUSY_MS = 2500;

describeWithRedis('The program on Redis', () => {
  beforeAll(() => {
    admin = new Redis(redis.url, { retryStrategy: () => 50 });
    admin.on('error', () => undefined);
  });
  afterAll(() => admin.disconnect());
  beforeEach(() => setUser('reset', 'on', '>secret', ...ALL));

  scenario.each(
    EACH.flatMap(({ host }) =>
      [
        ['-info', 'INFO'],
        ['-evalsha', 'EVALSHA'],
        ['resetchannels', 'SUBSCRIBE'],
        ['resetkeys', 'GET'],
      ].map(([rule = '', named = '']) => ({ host, rule, named })),
    ),
  )('redis-rights', '$host with $rule ends with 3, and names it', async ({ host, rule, named }) => {
    await setUser(rule);
    const { code, stderr } = await run(HOSTS[host]).end;
    expect([code, stderr]).toEqual([3, expect.stringContaining(`it has no right to ${named}`)]);
  });

  scenario.each(
    ['-info', '-evalsha', '-bzpopmin', '-@scripting', 'resetkeys', 'resetchannels'].map((rule) => ({ rule })),
  )('redis-rights', 'a worker that gets $rule names it, sends few commands, and ends', async ({ rule }) => {
    const one = await started('worker');
    await setUser(rule);
    await one.says('refuses this client');
    const before = await commands();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await commands()) - before).toBeLessThan(100);
    expect(await stopped(one)).toBeLessThan(2000 + BUSY_MS);
  });

  scenario.each([
    { what: 'a right', rules: ['-hset'], named: 'HSET' },
    { what: 'the password', rules: ['resetpass', '>changed'], named: 'WRONGPASS' },
  ])(
    'redis-rights',
    'a service that loses $what is not ready and names it, and is ready again later',
    async ({ rules, named }) => {
      const one = await started('serve');
      const url = /listens on (\S+)\. /.exec(one.printed())?.[1] ?? '';
      const ready = async () => (await exchange(new URL('/readyz', url), { token: TOKEN })).status;
      expect(await ready()).toBe(200);
      await setUser(...rules);
      await admin.client('KILL', 'USER', 'u');
      await until(async () => (await ready()) === 503);
      await one.says(named);
      await setUser('resetpass', '>secret', ...ALL);
      await until(async () => (await ready()) === 200);
      expect(await stopped(one)).toBeLessThan(2000 + BUSY_MS);
    },
  );

  scenario.each(EACH.flatMap(({ host }) => ['was killed', 'stands still'].map((how) => ({ host, how }))))(
    'redis-rights',
    '$host ends within its grace period when Redis $how',
    async ({ host, how }) => {
      const one = await started(host);
      await (how === 'was killed' ? redis.kill() : redis.pause());
      try {
        expect(await stopped(one)).toBeLessThan(2000 + BUSY_MS);
      } finally {
        await (how === 'was killed' ? redis.start() : redis.resume());
      }
    },
  );

  scenario.each(EACH)('redis-rights', '$host ends whenever SIGTERM arrives during its start', async ({ host }) => {
    const probe = machineClock.elapsed();
    await stopped(await started(host));
    const startMs = machineClock.elapsed() - probe;
    for (const part of [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1]) {
      const one = run(HOSTS[host]);
      await new Promise((resolve) => setTimeout(resolve, startMs * part));
      expect([part, (await stopped(one)) < 2000 + BUSY_MS]).toEqual([part, true]);
    }
  });

  scenario.each(EACH)('redis-rights', '$host that starts while Redis is frozen ends', async ({ host }) => {
    redis.pause();
    try {
      const one = run(HOSTS[host]);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(await stopped(one)).toBeLessThan(BUSY_MS);
    } finally {
      redis.resume();
    }
  });
});
