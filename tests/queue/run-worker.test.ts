/** A run at a worker: what it goes on from, what it waits for, and what it does not begin. */
import { CancelledError, NetworkError } from '../../lib/errors.ts';
import { nodeClock } from '../../lib/node/clock.ts';
import { newCurrent } from '../../lib/queue/current.ts';
import { keyOf } from '../../lib/queue/names.ts';
import { openQueue, type Queue } from '../../lib/queue/queue.ts';
import { newAttempt } from '../../lib/queue/run-attempt.ts';
import { runStore } from '../../lib/queue/run-store.ts';
import { type DoSlice, type RunWorkerParts, runProcessor } from '../../lib/queue/run-worker.ts';
import { parseKeys, sealWith } from '../../lib/queue/seal.ts';
import type { Run, Runs } from '../../lib/runs/port.ts';
import { all, never, OWNER, WORK } from '../runs/suite.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';
import { identityOf, runsOn } from './runs-support.ts';

const redis = redisServer();
const PROFILE = 'live';
const TENANT = identityOf(PROFILE);
let opened: Queue;
let runs: Runs & { disconnect(): Promise<void> };
let id: string;

const done: DoSlice = async () => ({ result: { done: 1 }, partial: false });
const notBegun: DoSlice = () => Promise.reject(new Error('It was begun.'));

function workerOf(doSlice: DoSlice, parts: Partial<RunWorkerParts> = {}, isRepeatable = true) {
  const { link, seal } = opened;
  const warnings: string[] = [];
  const every: RunWorkerParts = {
    ...{ link, seal, store: runStore(link.client, seal), clock: nodeClock(), current: newCurrent(), tenant: TENANT },
    ...{
      simulates: true,
      sectionOf: () => '',
      doSlice,
      isRepeatable: async () => isRepeatable,
      warn: (text) => warnings.push(text),
      ...parts,
    },
  };
  return { ...runProcessor(every), current: every.current, warnings };
}
const find = async () => (await runs.find(id)) as Run;

describeWithRedis('A run at a worker', () => {
  beforeEach(async () => {
    await redis.flush();
    opened = await openQueue({ url: redis.url });
    runs = await runsOn(redis.url, PROFILE);
    ({ id } = await runs.start(OWNER, WORK));
  });
  afterEach(async () => {
    await runs.close(0);
    await runs.disconnect();
    await opened.close();
  });

  it('that waits gives its worker back, tells its progress, and goes on where it was', async () => {
    const waiting = { waitMs: 700, progress: 'half', hasNewProgress: true, saved: { step: 1 } };
    const outcome = await workerOf(async () => waiting).process({ id }, id);
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
    expect(await next.process(data, id)).toBe('done');
    expect([seen, (await find()).state]).toEqual([[{ step: 1 }], 'succeeded']);
    const events = await all(runs.events(id, 0, never));
    expect(events.map(({ event }) => event)).toEqual(['state', 'state', 'progress', 'end']);
  });

  it('without new progress tells none', async () => {
    await workerOf(async () => ({ waitMs: 1, progress: 'old', hasNewProgress: false, saved: {} })).process({ id }, id);
    expect((await find()).progress).toBeNull();
  });

  it('works with the section that the worker chooses for its label, whatever was written into it', async () => {
    const owners: unknown[] = [];
    const seeing: DoSlice = async (_work, owner) => {
      owners.push(owner);
      return { result: {}, partial: false };
    };
    const sectionOf = (label: string) => `section of "${label}"`;
    await workerOf(seeing, { sectionOf }).process({ id }, id);
    expect(owners).toEqual([{ ...OWNER, identity: TENANT, tenant: `section of "${PROFILE}"` }]);
  });

  it('that was stopped before does not begin', async () => {
    await opened.link.client.set(keyOf.stopped(id), '1');
    expect(await workerOf(notBegun).process({ id }, id)).toBe('done');
    expect(await find()).toMatchObject({ state: 'stopped', started: null, problem: { code: 'cancelled' } });
  });

  it('for the other service does not begin', async () => {
    expect(await workerOf(notBegun, { simulates: false }).process({ id }, id)).toBe('done');
    expect(await find()).toMatchObject({ state: 'failed', started: null, problem: { code: 'conflict' } });
  });

  it('that has ended, or was removed, is done', async () => {
    await workerOf(done).process({ id }, id);
    expect(await workerOf(notBegun).process({ id }, id)).toBe('done');
    expect(await find()).toMatchObject({ state: 'succeeded', result: { done: 1 } });
    await runs.remove(id);
    expect(await workerOf(notBegun).process({ id }, id)).toBe('done');
  });

  it('at a worker that ends goes back at once', async () => {
    const worker = workerOf(notBegun);
    worker.current.halt('runs');
    expect(await worker.process({ id }, id)).toEqual({ againInMs: 0 });
    expect((await find()).state).toBe('queued');
  });

  it.each([
    ['a read goes back', true, new CancelledError('Stopped.'), { againInMs: 0 }, 'running'],
    ['a change is stopped', false, new CancelledError('Stopped.'), 'done', 'stopped'],
    ['a read with another error fails', true, new NetworkError('Away.'), 'done', 'failed'],
    ['a read with doubt is unknown', true, new CancelledError('.', { outcomeUnknown: true }), 'done', 'unknown'],
  ] as const)('whose worker ends in the middle: %s', async (_what, isRepeatable, thrown, outcome, state) => {
    const current = newCurrent();
    const halting: DoSlice = async () => {
      current.halt('runs');
      throw thrown;
    };
    expect(await workerOf(halting, { current }, isRepeatable).process({ id }, id)).toEqual(outcome);
    expect((await find()).state).toBe(state);
  });

  it('that is encrypted with another key waits, and its worker says so', async () => {
    const seal = sealWith(parseKeys(`k1:${Buffer.alloc(32).toString('base64')}`));
    const { client } = opened.link;
    await client.set(keyOf.run(id, 'run'), seal.seal(keyOf.run(id, 'run'), '{}'));
    const worker = workerOf(notBegun);
    expect(await worker.process({ id }, id)).toEqual({ againInMs: 3000 });
    expect(worker.warnings).toEqual([
      `The run ${id} waits: A payload in the queue is encrypted with the key "k1", and AISEC_QUEUE_KEY is not set here. ` +
        'Add it after the current key, separated by a comma, until all older payloads are done.',
    ]);
  });

  it('that was set aside has failed, and keeps its work for another attempt', async () => {
    const worker = workerOf(notBegun);
    await worker.onAside({ id }, 'it broke');
    expect(worker.warnings).toEqual([`The run ${id} was set aside: it broke`]);
    const { state, ended, problem } = await find();
    expect([state, ended]).toEqual(['failed', expect.any(String)]);
    expect(JSON.stringify(problem)).toContain('A worker was lost while it ran aisec-runtime-topics-list (it broke).');
    expect(await runStore(opened.link.client, opened.seal).work(id)).toBeDefined();
  });

  it('that was set aside after its end stays as it ended', async () => {
    await workerOf(done).process({ id }, id);
    await workerOf(notBegun).onAside({ id }, 'it broke');
    expect((await find()).state).toBe('succeeded');
  });

  it('begins for one of two workers that saw the same attempt', async () => {
    const store = runStore(opened.link.client, opened.seal);
    const [one, two] = [newAttempt(true), newAttempt(true)];
    expect(await store.begin(id, '', one, undefined)).toBe(true);
    expect([await store.begin(id, '', two, undefined), await store.begin(id, '', one, undefined)]).toEqual([
      false,
      true,
    ]);
    expect(await store.attempt(id)).toBe(one);
    expect(await store.begin('none', '', one, undefined)).toBe(false);
  });

  it('tells nothing for an attempt that is not its own', async () => {
    const store = runStore(opened.link.client, opened.seal);
    await store.begin(id, '', newAttempt(true), undefined);
    await store.progress(id, 'again other', 'No.');
    await store.event(id, 'again other', 'task', {});
    expect([(await find()).progress, (await store.events(id, 0)).length]).toEqual([null, 1]);
    expect(await store.end({ ...(await find()), state: 'succeeded' }, 'again other')).toBe(false);
  });
});
