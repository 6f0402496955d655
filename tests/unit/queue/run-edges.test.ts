/** Edge cases of runs on the queue: counts, lists, stops, interrupted streams, and an unreachable Redis. */
import { setTimeout as pause } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { ConfigurationError, UsageError } from '../../../lib/core/errors.ts';
import { newRun, type Run, type RunEvent, type Runs } from '../../../lib/runs/port.ts';
import { KEEP_SECONDS, keyOf, STOPS } from '../../../lib/runs/redis/connection/names.ts';
import { newAttempt } from '../../../lib/runs/redis/runs/accepted-runs.ts';
import { type RunJob, RunStore } from '../../../lib/runs/redis/runs/run-store.ts';
import { connectQueuedRuns, QueuedRuns, type QueuedRunsOptions } from '../../../lib/runs/redis/runs/runs.ts';
import { until } from '../../support/machine.ts';
import { all, never, OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';
import { identityOf, queueForEach } from './runs-support.ts';

const redis = redisServer();
const opened = queueForEach(redis);
const PROFILE = 'edges';
const TENANT = identityOf(PROFILE);
const NOW = Date.parse('2099-01-02T03:04:05.000Z');
const SESSION = { kind: 'line', session: 's', line: '!x', shown: '!x', dryRun: false, commands: [] } as const;

let store: RunStore;
let calls: unknown[][];
const toClose: (() => Promise<unknown>)[] = [];

/** In-process runs that record their calls. */
function localRuns(changed: Partial<Runs> = {}): Runs {
  const told =
    <T>(name: string, value: T) =>
    async (...args: readonly unknown[]): Promise<T> => {
      calls.push([name, ...args]);
      return value;
    };
  return {
    start: told('start', newRun('local', OWNER, SESSION, '2026-01-01T00:00:00.000Z')),
    find: told('find', undefined),
    list: told('list', []),
    stop: told('stop', undefined),
    remove: told('remove', undefined),
    events: () => undefined,
    counts: told('counts', { queued: 0, running: 0, oldestMs: 0, workers: 0 }),
    problem: told('problem', undefined),
    close: told('close', undefined),
    ...changed,
  };
}

function optionsOf(changed: Partial<QueuedRunsOptions> = {}): QueuedRunsOptions {
  const { link, seal } = opened;
  return {
    ...{ link, seal, local: localRuns(), clock: { now: () => NOW } },
    ...{ simulates: true, profile: PROFILE, isLocal: ({ kind }) => kind !== 'command' },
    identityOf: async (tenant) => identityOf(tenant === '' ? PROFILE : tenant),
    ...changed,
  };
}

async function runsWith(changed: Partial<QueuedRunsOptions> = {}): Promise<Runs> {
  const runs = await QueuedRuns.open(optionsOf(changed));
  toClose.push(() => runs.close(0));
  return runs;
}

function queueOf(tenant = TENANT): Queue<RunJob> {
  const queue = new Queue<RunJob>(`runs.${tenant}`, { connection: opened.link.client, prefix: 'aisec' });
  toClose.push(() => queue.close());
  return queue;
}

/** Accepts a run, as a worker that no longer holds a job does. */
async function begin(run: Run, isRepeatable = true): Promise<string> {
  const attempt = newAttempt(isRepeatable);
  await store.begin(run.id, '', attempt, { ...run, state: 'running', started: '2099-01-01T00:00:00.000Z' });
  return attempt;
}

/** Counts the Redis connections other than this test's. */
async function connections(): Promise<number> {
  return String(await opened.link.client.client('LIST'))
    .trim()
    .split('\n').length;
}

describeWithRedis('Runs on the queue', () => {
  beforeEach(async () => {
    calls = [];
    store = new RunStore(opened.link.client, opened.seal);
  });
  afterEach(async () => {
    for (const close of toClose.splice(0).toReversed()) await close();
  });

  describe('while Redis is away', () => {
    it('are refused at once, and the error says that the queue is unavailable', async () => {
      const { link } = opened;
      let asked = 0;
      const client = new Proxy(link.client, {
        get: (target, name, receiver) => {
          if (name === 'ping') asked += 1;
          return Reflect.get(target, name, receiver) as unknown;
        },
      });
      const runs = await runsWith({ link: { ...link, client, awayMs: () => 1 } });
      await expect(runs.start(OWNER, WORK)).rejects.toMatchObject({
        name: 'BusyError',
        message: `The queue on Redis at ${link.name} does not answer.`,
      });
      expect([await runs.problem(), asked]).toEqual(['queue', 0]);
    });

    it('report a problem only if the connection has trouble', async () => {
      const runs = await runsWith();
      expect(await runs.problem()).toBeUndefined();
      const { link } = opened;
      const trouble = async () => 'It has no right to GET.';
      expect(await (await runsWith({ link: { ...link, trouble } })).problem()).toBe('queue');
    });
  });

  describe('are counted', () => {
    it('together with runs of the process, with the age of the oldest', async () => {
      const local = localRuns({ counts: async () => ({ queued: 2, running: 3, oldestMs: 5, workers: 0 }) });
      const runs = await runsWith({ local });
      expect(await runs.counts()).toEqual({ queued: 2, running: 3, oldestMs: 5, workers: 0 });
      await runs.start(OWNER, WORK);
      await runs.start({ ...OWNER, tenant: 'other' }, WORK);
      const queue = queueOf();
      await queue.add('run', { id: 'waits' }, { jobId: 'waits', delay: 86_400_000 });
      const [oldest] = await queue.getPrioritized(0, 0);
      const found = await runs.counts();
      expect(found).toMatchObject({ queued: 4, running: 4 });
      expect(found.oldestMs).toBe(NOW - (oldest?.timestamp ?? 0));
    });

    it('with the age of the oldest, which need not be the next to start', async () => {
      const runs = await runsWith();
      const [first, second] = [await runs.start(OWNER, WORK), await runs.start(OWNER, WORK)];
      await new Promise((resolve) => setTimeout(resolve, 2));
      await runs.start({ ...OWNER, caller: 'other@' }, WORK);
      await runs.stop(first.id);
      const oldest = await queueOf().getJob(second.id);
      expect((await runs.counts()).oldestMs).toBe(NOW - (oldest?.timestamp ?? 0));
    });

    it('despite a list that names a missing job', async () => {
      const runs = await runsWith();
      await runs.start({ ...OWNER, tenant: 'other' }, WORK);
      await opened.link.client.del(`aisec:runs.${identityOf('other')}:prioritized`);
      await opened.link.client.rpush(`aisec:runs.${identityOf('other')}:wait`, 'stranger');
      await opened.link.client.zadd(`aisec:runs.${identityOf('other')}:prioritized`, 1, 'stranger');
      expect(await runs.counts()).toMatchObject({ queued: 2, oldestMs: 0 });
    });
  });

  describe('are listed', () => {
    const at = (seconds: number) => `2099-01-02T03:04:${String(seconds).padStart(2, '0')}.000Z`;

    it('together with runs of the process, newest first, for one token or all', async () => {
      const kept = { ...newRun('local', OWNER, SESSION, at(2)) };
      const seen: unknown[][] = [];
      const local = localRuns({
        list: async (...args) => {
          seen.push(args);
          return [kept];
        },
      });
      let now = Date.parse(at(1));
      const runs = await runsWith({ local, clock: { now: () => now } });
      const first = await runs.start(OWNER, WORK);
      now = Date.parse(at(3));
      const second = await runs.start({ ...OWNER, caller: 'other' }, WORK);
      expect((await runs.list('')).map(({ id }) => id)).toEqual([second.id, 'local', first.id]);
      expect((await runs.list('', 'ci@')).map(({ id }) => id)).toEqual(['local', first.id]);
      expect(seen).toEqual([
        ['', undefined],
        ['', 'ci@'],
      ]);
    });

    it('only under the name they were started under, even if two names mean one tenant', async () => {
      const runs = await runsWith({ identityOf: async () => TENANT });
      const [own, named] = [await runs.start(OWNER, WORK), await runs.start({ ...OWNER, tenant: 'named' }, WORK)];
      expect((await runs.list('')).map(({ id }) => id)).toEqual([own.id]);
      expect((await runs.list('named')).map(({ id }) => id)).toEqual([named.id]);
      await opened.link.client.set(keyOf.run(own.id, 'run'), 'garbage');
      const found = await runs.list('named');
      expect(new Map(found.map(({ id, state }) => [id, state]))).toEqual(
        new Map([
          [own.id, 'unreadable'],
          [named.id, 'queued'],
        ]),
      );
      expect(found.map(({ owner }) => owner.tenant)).toEqual(['named', 'named']);
    });
  });

  describe('are found', () => {
    it('only if their section can be used, and other errors are passed on', async () => {
      const runs = await runsWith();
      const { id } = await runs.start(OWNER, WORK);
      const missing = await runsWith({ identityOf: () => Promise.reject(new ConfigurationError('There is none.')) });
      expect(await missing.find(id)).toBeUndefined();
      const broken = await runsWith({ identityOf: () => Promise.reject(new UsageError('Something else.')) });
      await expect(broken.find(id)).rejects.toThrow('Something else.');
    });

    it('in the process first', async () => {
      const found = newRun('local', OWNER, SESSION, '2026-01-01T00:00:00.000Z');
      const runs = await runsWith({ local: localRuns({ find: async () => found }) });
      expect(await runs.find('local')).toBe(found);
    });
  });

  it('of sessions start in the process, which is also notified of every stop, removal and end', async () => {
    const events: unknown[][] = [];
    async function* none(): AsyncGenerator<RunEvent> {
      // The run has no job.
    }
    const local = localRuns({
      events: (...args) => {
        events.push(args);
        return args[0] === 'local' ? none() : undefined;
      },
    });
    const runs = await QueuedRuns.open(optionsOf({ local }));
    expect((await runs.start(OWNER, SESSION)).id).toBe('local');
    await runs.stop('local');
    await runs.remove('local');
    expect(await all(runs.events('local', 7, never))).toEqual([]);
    await runs.close(123);
    expect(calls.filter(([name]) => name !== 'find')).toEqual([
      ['start', OWNER, SESSION],
      ['stop', 'local'],
      ['remove', 'local'],
      ['close', 123],
    ]);
    expect(events).toEqual([['local', 7, never]]);
  });

  it('belong to the tenant and the section of their start', async () => {
    const runs = await runsWith();
    const own = await runs.start(OWNER, WORK);
    const other = await runs.start({ ...OWNER, tenant: 'other' }, WORK);
    expect([own.owner.identity, other.owner.identity]).toEqual([TENANT, identityOf('other')]);
    expect([own.created, own.id]).toEqual(['2099-01-02T03:04:05.000Z', expect.stringMatching(/^[0-9a-f]{24}$/)]);
    expect((await store.request(own.id))?.label).toBe(PROFILE);
    expect((await store.request(other.id))?.label).toBe('other');
  });

  describe('that are stopped', () => {
    it('are marked for a week and announced, and their job is removed', async () => {
      const heard: string[] = [];
      const listener = opened.link.client.duplicate();
      listener.on('message', (_channel: string, id: string) => heard.push(id));
      await listener.subscribe(STOPS);
      const runs = await runsWith();
      const { id } = await runs.start(OWNER, WORK);
      await runs.stop(id);
      await until(async () => heard.length > 0);
      const { client } = opened.link;
      expect([heard, await client.get(keyOf.stopped(id)), await queueOf().getJob(id)]).toEqual([[id], '1', undefined]);
      expect(await runs.find(id)).toMatchObject({
        state: 'stopped',
        ended: '2099-01-02T03:04:05.000Z',
        error: { message: 'Stopped before it began.', hint: 'Nothing was sent.' },
      });
      const seconds = await client.ttl(keyOf.stopped(id));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(KEEP_SECONDS);
    });

    it('after they started report what continues', async () => {
      const runs = await runsWith();
      const run = await runs.start(OWNER, WORK);
      await begin(run);
      await runs.stop(run.id);
      expect(await runs.find(run.id)).toMatchObject({
        state: 'stopped',
        error: { message: 'Stopped.', hint: 'Work that it started at the service continues there.' },
      });
    });

    it.each([
      [
        'without a checkpoint are unknown',
        undefined,
        'unknown',
        'A worker was lost while it ran aisec-runtime-topics-list (it was stopped).',
      ],
      ['with a checkpoint are stopped', 'sealed', 'stopped', 'Stopped.'],
    ] as const)('while their change may have been sent, %s', async (_what, checkpoint, state, detail) => {
      const runs = await runsWith();
      const run = await runs.start(OWNER, WORK);
      await begin(run, false);
      const queue = queueOf();
      await (await queue.getJob(run.id))?.updateData({
        id: run.id,
        ...(checkpoint === undefined ? {} : { checkpoint }),
      });
      await runs.stop(run.id);
      expect(await runs.find(run.id)).toMatchObject({ state, error: { message: detail } });
    });

    it('while their job is locked are left to the worker with the lock', async () => {
      const runs = await runsWith();
      const run = await runs.start(OWNER, WORK);
      await begin(run);
      await opened.link.client.set(`aisec:runs.${TENANT}:${run.id}:lock`, 'a worker');
      await runs.stop(run.id);
      expect((await runs.find(run.id))?.state).toBe('running');
    });

    it('after their last attempt has ended do not change', async () => {
      const runs = await runsWith();
      const run = await runs.start(OWNER, WORK);
      await opened.link.client.set(keyOf.run(run.id, 'attempt'), 'ended');
      await runs.stop(run.id);
      expect((await runs.find(run.id))?.state).toBe('queued');
    });

    it('after their end are not marked', async () => {
      const runs = await runsWith();
      const run = await runs.start(OWNER, WORK);
      const attempt = await begin(run);
      await store.end({ ...run, state: 'succeeded', ended: run.created }, attempt);
      await runs.stop(run.id);
      expect(await opened.link.client.exists(keyOf.stopped(run.id))).toBe(0);
      expect((await runs.find(run.id))?.state).toBe('succeeded');
    });
  });

  describe('are followed', () => {
    it('to their removal', async () => {
      const runs = await runsWith();
      const run = await runs.start(OWNER, WORK);
      const attempt = await begin(run);
      const found: string[] = [];
      const reading = (async () => {
        for await (const { event } of runs.events(run.id, 0, never) ?? []) found.push(event);
      })();
      await until(async () => found.length === 2);
      await opened.link.client.unlink(keyOf.run(run.id, 'run'));
      await opened.link.client.publish(keyOf.bell(run.id), attempt);
      await reading;
      expect(found).toEqual(['state', 'state']);
    });

    it('until the reader leaves, at once', async () => {
      const runs = await runsWith();
      const run = await runs.start(OWNER, WORK);
      const leaving = new AbortController();
      const found: string[] = [];
      const reading = (async () => {
        for await (const { event } of runs.events(run.id, 0, leaving.signal) ?? []) found.push(event);
      })();
      await until(async () => found.length === 1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      leaving.abort();
      const left = reading.then(() => 'left');
      expect(await Promise.race([left, pause(4000, 'waits for the next look')])).toBe('left');
      expect(await all(runs.events(run.id, 0, leaving.signal))).toEqual([]);
    });
  });

  describe('are opened with a separate connection', () => {
    const openWith = (changed: Partial<QueuedRunsOptions>, strict: boolean, warnings: string[]) => {
      const { link: _link, seal: _seal, ...options } = optionsOf(changed);
      const warn = (text: string) => void warnings.push(text);
      return connectQueuedRuns({ url: redis.url }, { ...options, strict, warn });
    };
    const refusal = 'has no append-only file: after a crash it forgets runs, and changes may be repeated.';
    afterEach(async () => {
      await opened.link.client.config('SET', 'appendonly', 'yes');
    });

    it('which closes with them, even if the runs of the process end with an error', async () => {
      const before = await connections();
      const local = localRuns({ close: () => Promise.reject(new UsageError('It does not end.')) });
      const warnings: string[] = [];
      const runs = await openWith({ local }, true, warnings);
      await runs.start(OWNER, WORK);
      expect([await connections(), warnings]).toEqual([expect.any(Number), []]);
      expect(await connections()).toBeGreaterThan(before);
      await expect(runs.close(0)).rejects.toThrow('It does not end.');
      await until(async () => (await connections()) === before);
    });

    it('with a warning if Redis may forget, or not at all with --strict', async () => {
      const { client } = opened.link;
      const before = await connections();
      await client.config('SET', 'appendonly', 'no');
      const warnings: string[] = [];
      const runs = await openWith({}, false, warnings);
      expect(warnings).toEqual([expect.stringContaining(refusal)]);
      await runs.close(0);
      await expect(openWith({}, true, warnings)).rejects.toThrow(refusal);
      expect(warnings).toHaveLength(1);
      await until(async () => (await connections()) === before);
    });
  });
});
