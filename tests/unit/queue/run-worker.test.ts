/** A run on a worker: how it continues, waits, or is refused. */
import { CancelledError, NetworkError } from '../../../lib/core/errors.ts';
import { commandsIn } from '../../../lib/hosts/worker/perform-job.ts';
import { nodeClock } from '../../../lib/node/system/clock.ts';
import type { Run } from '../../../lib/runs/port.ts';
import { keyOf } from '../../../lib/runs/redis/connection/names.ts';
import { parseKeys, sealWith, UnreadableError } from '../../../lib/runs/redis/connection/seal.ts';
import { newAttempt } from '../../../lib/runs/redis/runs/accepted-runs.ts';
import { RunStore } from '../../../lib/runs/redis/runs/run-store.ts';
import type { PerformSlice, RunProcessorParts } from '../../../lib/runs/redis/runs/run-worker.ts';
import { CurrentJobs } from '../../../lib/runs/redis/workers/worker.ts';
import { countedRegistry } from '../../support/counted-registry.ts';
import { all, never, OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';
import { identityOf, processorOf, queueForEach, runsOn } from './runs-support.ts';

const redis = redisServer();
const PROFILE = 'live';
const TENANT = identityOf(PROFILE);
let runs: Awaited<ReturnType<typeof runsOn>>;
let id: string;

const done: PerformSlice = async () => ({ result: { done: 1 }, partial: false });
const notBegun: PerformSlice = () => Promise.reject(new Error('It was begun.'));

describeWithRedis('A run at a worker', () => {
  const opened = queueForEach(redis);
  beforeEach(async () => {
    runs = await runsOn(redis.url, PROFILE);
    ({ id } = await runs.start(OWNER, WORK));
  });
  afterEach(() => runs.end());

  const workerOf = (performSlice: PerformSlice, parts: Partial<RunProcessorParts> = {}, isRepeatable = true) =>
    processorOf(opened, performSlice, { tenant: TENANT, ...parts }, isRepeatable);
  const newStore = () => new RunStore(opened.link.client, opened.seal);
  const find = async () => (await runs.find(id)) as Run;
  const WAITS = { waitMs: 1, progress: '', hasNewProgress: false, saved: {} };

  it('that waits frees its worker, reports its progress, and continues from its checkpoint', async () => {
    const waiting = { waitMs: 700, progress: 'half', hasNewProgress: true, saved: { step: 1 } };
    const outcome = await workerOf(async () => waiting).process({ id });
    expect(outcome).toEqual({ againInMs: 700, data: { id, checkpoint: expect.any(String) as unknown } });
    expect(await find()).toMatchObject({ state: 'running', progress: 'half', ended: null });
    const seen: unknown[] = [];
    const data = (outcome as { data: { id: string; checkpoint: string } }).data;
    const next = workerOf(
      async (_work, _owner, _reports, saved) => {
        seen.push(saved);
        return { result: { done: 1 }, partial: false };
      },
      {},
      false,
    );
    expect(await next.process(data)).toBe('done');
    expect([seen, (await find()).state]).toEqual([[{ step: 1 }], 'succeeded']);
    const events = await all(runs.events(id, 0, never));
    expect(events.map(({ event }) => event)).toEqual(['state', 'state', 'progress', 'end']);
  });

  it('without new progress reports no progress', async () => {
    await workerOf(async () => ({ waitMs: 1, progress: 'old', hasNewProgress: false, saved: {} })).process({ id });
    expect((await find()).progress).toBeNull();
  });

  it('loads its command once, and hands it to the slice', async () => {
    const { registry, loads } = countedRegistry();
    const seen: unknown[] = [];
    const seeing: PerformSlice = async (_work, _owner, { command }) => {
      seen.push(command?.name);
      return { result: {}, partial: false };
    };
    await workerOf(seeing, { commandOf: commandsIn(registry) }).process({ id });
    expect([seen, loads]).toEqual([[WORK.command], [WORK.command]]);
  });

  it('uses the section that the worker selects for its label, whatever the job contains', async () => {
    const owners: unknown[] = [];
    const seeing: PerformSlice = async (_work, owner) => {
      owners.push(owner);
      return { result: {}, partial: false };
    };
    const sectionOf = (label: string) => `section of "${label}"`;
    await workerOf(seeing, { sectionOf }).process({ id });
    expect(owners).toEqual([{ ...OWNER, identity: TENANT, tenant: `section of "${PROFILE}"` }]);
  });

  it('that was stopped before its start does not begin', async () => {
    await opened.link.client.set(keyOf.stopped(id), '1');
    expect(await workerOf(notBegun).process({ id })).toBe('done');
    expect(await find()).toMatchObject({ state: 'stopped', started: null, error: { code: 'cancelled' } });
  });

  it('for the other service does not begin', async () => {
    expect(await workerOf(notBegun, { simulates: false }).process({ id })).toBe('done');
    expect(await find()).toMatchObject({ state: 'failed', started: null, error: { code: 'conflict' } });
  });

  it('that has ended or was removed is skipped', async () => {
    await workerOf(done).process({ id });
    expect(await workerOf(notBegun).process({ id })).toBe('done');
    expect(await find()).toMatchObject({ state: 'succeeded', result: { done: 1 } });
    await runs.remove(id);
    expect(await workerOf(notBegun).process({ id })).toBe('done');
  });

  it('at a worker that stops returns to the queue at once', async () => {
    const worker = workerOf(notBegun);
    worker.current.halt('runs');
    expect(await worker.process({ id })).toEqual({ againInMs: 0 });
    expect((await find()).state).toBe('queued');
  });

  it.each([
    ['a read goes back', true, new CancelledError('Stopped.'), { againInMs: 0 }, 'running'],
    ['a change is stopped', false, new CancelledError('Stopped.'), 'done', 'stopped'],
    ['a read with another error fails', true, new NetworkError('Away.'), 'done', 'failed'],
    [
      'a read with an uncertain outcome is unknown',
      true,
      new CancelledError('.', { outcomeUnknown: true }),
      'done',
      'unknown',
    ],
  ] as const)('whose worker stops during it: %s', async (_what, isRepeatable, thrown, outcome, state) => {
    const current = new CurrentJobs();
    const halting: PerformSlice = async () => {
      current.halt('runs');
      throw thrown;
    };
    expect(await workerOf(halting, { current }, isRepeatable).process({ id })).toEqual(outcome);
    expect((await find()).state).toBe(state);
  });

  it('that is encrypted with another key waits, and its worker says so', async () => {
    const seal = sealWith(parseKeys(`k1:${Buffer.alloc(32).toString('base64')}`));
    const { client } = opened.link;
    await client.set(keyOf.run(id, 'run'), seal.seal(keyOf.run(id, 'run'), '{}'));
    const worker = workerOf(notBegun);
    expect(await worker.process({ id })).toEqual({ againInMs: 3000 });
    expect(worker.warnings).toEqual([
      `The run ${id} waits: A payload in the queue is encrypted with the key "k1", and AISEC_QUEUE_KEY is not set here. ` +
        'Add it after the current key, separated by a comma, until all older payloads are done.',
    ]);
  });

  it('that was set aside has failed, and keeps its input for another attempt', async () => {
    const worker = workerOf(notBegun);
    await worker.onAside({ id }, 'it broke');
    expect(worker.warnings).toEqual([`The run ${id} was set aside: it broke`]);
    const { state, ended, error } = await find();
    expect([state, ended]).toEqual(['failed', expect.any(String)]);
    expect(JSON.stringify(error)).toContain('A worker was lost while it ran aisec-runtime-topics-list (it broke).');
    expect(await newStore().request(id)).toBeDefined();
  });

  it('that was set aside after its end keeps its outcome', async () => {
    await workerOf(done).process({ id });
    await workerOf(notBegun).onAside({ id }, 'it broke');
    expect((await find()).state).toBe('succeeded');
  });

  it('begins for one of two workers that saw the same attempt', async () => {
    const store = newStore();
    const [one, two] = [newAttempt(true), newAttempt(true)];
    expect(await store.begin(id, '', one, undefined)).toBe(true);
    expect([await store.begin(id, '', two, undefined), await store.begin(id, '', one, undefined)]).toEqual([
      false,
      true,
    ]);
    expect(await store.attempt(id)).toBe(one);
    expect(await store.begin('none', '', one, undefined)).toBe(false);
  });

  it('reports nothing for another attempt', async () => {
    const store = newStore();
    await store.begin(id, '', newAttempt(true), undefined);
    await store.progress(id, 'again other', 'No.');
    await store.event(id, 'again other', 'task', {});
    expect([(await find()).progress, (await store.events(id, 0)).length]).toEqual([null, 1]);
    expect(await store.end({ ...(await find()), state: 'succeeded' }, 'again other')).toBe(false);
  });

  describe('that cannot be read', () => {
    it('ends its job with an error, whether its key or its text is at fault', async () => {
      const { client } = opened.link;
      await client.set(keyOf.run(id, 'run'), 'garbage');
      const worker = workerOf(notBegun);
      await expect(worker.process({ id })).rejects.toThrow(UnreadableError);
      expect(worker.warnings).toEqual([]);
    });

    it('because Redis refuses ends its job with the error of Redis', async () => {
      const store = Object.assign(newStore(), {
        find: () => Promise.reject(new Error('LOADING')),
      });
      await expect(workerOf(notBegun, { store }).process({ id })).rejects.toThrow('LOADING');
    });

    it('is finished even if its input is missing', async () => {
      await opened.link.client.del(keyOf.run(id, 'work'));
      expect(await workerOf(notBegun).process({ id })).toBe('done');
      expect((await find()).state).toBe('queued');
    });

    it('is finished even if its record is missing', async () => {
      await opened.link.client.del(keyOf.run(id, 'run'));
      expect(await workerOf(notBegun).process({ id })).toBe('done');
    });
  });

  it('of another tenant is not performed, and its worker says so', async () => {
    const worker = workerOf(notBegun, { tenant: identityOf('other') });
    expect(await worker.process({ id })).toBe('done');
    expect(worker.warnings).toEqual([`The run ${id} was put on the queue of another tenant, and was not carried out.`]);
  });

  describe('that was set aside', () => {
    it('at the worker of another tenant does not change', async () => {
      await workerOf(notBegun, { tenant: identityOf('other') }).onAside({ id }, 'it broke');
      expect(await find()).toMatchObject({ state: 'queued', ended: null });
    });

    it('after its removal leaves nothing', async () => {
      await newStore().remove(id, TENANT);
      await workerOf(notBegun).onAside({ id }, 'it broke');
      expect(await runs.find(id)).toBeUndefined();
    });

    it.each([
      ['without a checkpoint is unknown', false, 'unknown'],
      ['with a checkpoint has failed', true, 'failed'],
    ])('during a change %s', async (_what, hasCheckpoint, state) => {
      const store = newStore();
      const run = await find();
      await store.begin(id, '', newAttempt(false), { ...run, state: 'running', started: run.created });
      await workerOf(notBegun).onAside({ id, ...(hasCheckpoint ? { checkpoint: 'sealed' } : {}) }, 'it broke');
      expect((await find()).state).toBe(state);
      expect(JSON.stringify((await find()).error)).toContain('(it broke)');
    });

    it('while its last attempt ended does not change', async () => {
      await opened.link.client.set(keyOf.run(id, 'attempt'), 'ended');
      await workerOf(notBegun).onAside({ id }, 'it broke');
      expect((await find()).state).toBe('queued');
      expect(await workerOf(notBegun).process({ id })).toBe('done');
    });
  });

  describe('of a change that another worker may have carried out', () => {
    const problem = async () => JSON.stringify((await find()).error);

    it('is unknown if it was running, even without a record of the attempt', async () => {
      const run = await find();
      await newStore().reset({ ...run, state: 'running', started: run.created });
      expect(await workerOf(notBegun, {}, false).process({ id })).toBe('done');
      expect((await find()).state).toBe('unknown');
      expect(await problem()).toContain('(the worker ended)');
    });

    it('is performed again if it reads or continues from a checkpoint', async () => {
      const run = await find();
      await newStore().reset({ ...run, state: 'running', started: run.created });
      expect(await workerOf(done).process({ id })).toBe('done');
      expect((await find()).state).toBe('succeeded');
    });

    it('does not begin if another worker was faster', async () => {
      const kept = newStore();
      const begin = async () => false;
      expect(await workerOf(notBegun, { store: Object.assign(kept, { begin }) }).process({ id })).toBe('done');
      expect((await find()).state).toBe('queued');
    });
  });

  it('with a checkpoint returns to the queue when its worker stops, even if it changes something', async () => {
    const waiting = await workerOf(async () => WAITS, {}, false).process({ id });
    const current = new CurrentJobs();
    const halting: PerformSlice = async () => {
      current.halt('runs');
      throw new CancelledError('Stopped.');
    };
    const { data } = waiting as { data: { id: string; checkpoint: string } };
    expect(await workerOf(halting, { current }, false).process(data)).toEqual({ againInMs: 0 });
  });

  it('keeps its first start time through all of its slices', async () => {
    let now = Date.parse('2099-01-02T03:04:05.000Z');
    const clock = { ...nodeClock(), now: () => now };
    const first = await workerOf(async () => WAITS, {
      clock,
    }).process({ id });
    now += 60_000;
    await workerOf(done, { clock }).process((first as { data: { id: string } }).data);
    const { started, ended } = await find();
    expect([started, ended]).toEqual(['2099-01-02T03:04:05.000Z', '2099-01-02T03:05:05.000Z']);
  });

  it('has a signal that a stop aborts, a limit of a day, and is not listed as running after its end', async () => {
    const current = new CurrentJobs();
    const seen: unknown[] = [];
    const performSlice: PerformSlice = async (_work, _owner, { signal, timeoutMs }) => {
      seen.push(timeoutMs, current.ids(), signal.aborted);
      current.stop(id);
      seen.push(signal.aborted);
      return { result: {}, partial: false };
    };
    await workerOf(performSlice, { current }).process({ id });
    expect([seen, current.ids()]).toEqual([[86_400_000, [id], false, true], []]);
  });

  it('reports its progress at most ten times a second, and every task', async () => {
    let elapsed = 0;
    const clock = { ...nodeClock(), elapsed: () => elapsed };
    const performSlice: PerformSlice = async (_work, _owner, { onProgress, onTask }) => {
      onProgress('0');
      for (const [at, line] of [
        [99, 'too early'],
        [100, '100'],
        [199, 'too early'],
        [250, '250'],
      ] as const) {
        elapsed = at;
        onProgress(line);
        onTask({ at });
      }
      // Progress is written before the end.
      await newStore().find(id);
      return { result: {}, partial: false };
    };
    await workerOf(performSlice, { clock }).process({ id });
    const events = await all(runs.events(id, 0, never));
    const told = (name: string) => events.filter(({ event }) => event === name).map(({ data }) => data);
    expect(told('progress')).toEqual(['0', '100', '250'].map((progress) => ({ progress })));
    expect(told('task')).toEqual([99, 100, 199, 250].map((at) => ({ at })));
  });

  it('continues even if its progress cannot be written', async () => {
    const store = newStore();
    const refused = () => Promise.reject(new Error('OOM'));
    const performSlice: PerformSlice = async (_work, _owner, { onProgress, onTask }) => {
      onProgress('half');
      onTask({});
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { result: {}, partial: false };
    };
    await workerOf(performSlice, { store: Object.assign(store, { progress: refused, event: refused }) }).process({
      id,
    });
    expect((await find()).state).toBe('succeeded');
  });

  it('keeps its latest thousand events, and shows those after a given number', async () => {
    const store = newStore();
    const attempt = newAttempt(true);
    await store.begin(id, '', attempt, undefined);
    await Promise.all(Array.from({ length: 1300 }, (_, at) => store.event(id, attempt, 'task', { at })));
    const events = await store.events(id, 0);
    const first = events[0]?.id ?? 0;
    expect([first > 1, events.length >= 1000, events.at(-1)?.data]).toEqual([true, true, { at: 1299 }]);
    expect(await store.events(id, (events.at(-1)?.id ?? 0) - 2)).toEqual(events.slice(-2));
  });

  it('shows its last progress and its result next to its record', async () => {
    const store = newStore();
    const attempt = newAttempt(true);
    const run = await find();
    await store.begin(id, '', attempt, { ...run, state: 'running' });
    expect(await store.find(id)).not.toHaveProperty('result');
    await store.progress(id, attempt, 'half');
    await store.end({ ...run, state: 'succeeded', ended: run.created, result: [1] }, attempt);
    expect(await store.find(id)).toMatchObject({ progress: 'half', result: [1], state: 'succeeded' });
    expect((await store.list(TENANT))[0]).not.toHaveProperty('result');
    expect(await store.request(id)).toBeUndefined();
  });
});
