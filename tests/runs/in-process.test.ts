/** Runs inside this process: what all runs do, and their limits and end. */
import { toAisecError } from '../../lib/errors.ts';
import { MOST_EVENTS, newHistory } from '../../lib/runs/history.ts';
import { inProcessRuns } from '../../lib/runs/in-process.ts';
import { BusyError, type DoWork } from '../../lib/runs/port.ts';
import { scenario } from '../scenarios/claims.ts';
import { testClock } from '../support/simulated.ts';
import { all, describeRuns, held, never, OTHER, OWNER, WORK } from './suite.ts';

function runsOf(work: DoWork, more: { atOnce?: number; mostQueued?: number } = {}) {
  const clock = testClock();
  const problem = (thrown: unknown) => ({ code: toAisecError(thrown).code });
  return { runs: inProcessRuns({ work, problem, clock, ...more }), clock };
}

describeRuns('inside this process', async (work, slots, mostQueued) => {
  const { runs } = runsOf(work, { atOnce: slots, ...(mostQueued === undefined ? {} : { mostQueued }) });
  return { runs, close: () => runs.close(0) };
});

describe('Progress', () => {
  it('is told at most ten times a second', async () => {
    const clock = testClock();
    const runs = inProcessRuns({
      clock,
      problem: String,
      work: async (_work, _owner, { onProgress, onTask }) => {
        for (const line of ['1', '2', '3']) onProgress(line);
        clock.advance(100);
        onProgress('4');
        onTask({ id: '1' });
        return { result: {}, partial: false };
      },
    });
    const { id } = await runs.start(OWNER, WORK);
    const events = await all(runs.events(id, 0, never));
    const told = events.filter(({ event }) => event === 'progress' || event === 'task').map(({ data }) => data);
    expect(told).toEqual([{ progress: '1' }, { progress: '4' }, { id: '1' }]);
    expect((await runs.find(id))?.progress).toBe('4');
  });
});

describe('So many at once', () => {
  it('are run for each tenant; the next one begins when one ends', async () => {
    const { work, finish } = held();
    const { runs } = runsOf(work, { atOnce: 2 });
    const started = [];
    for (const owner of [OWNER, OWNER, OWNER, OTHER]) started.push(await runs.start(owner, WORK));
    expect(await runs.counts()).toMatchObject({ running: 3, queued: 1 });
    finish[0]?.();
    await all(runs.events(started[0]?.id ?? '', 0, never));
    expect(await runs.counts()).toMatchObject({ running: 3, queued: 0 });
    await runs.close(0);
  });

  it('may wait, and no more', async () => {
    const { work } = held();
    const { runs } = runsOf(work, { atOnce: 1, mostQueued: 2 });
    for (let count = 0; count < 3; count += 1) await runs.start(OWNER, WORK);
    await expect(runs.start(OWNER, WORK)).rejects.toThrow(BusyError);
    // Another tenant is not kept from its own.
    expect((await runs.start(OTHER, WORK)).state).toBe('running');
    await runs.close(0);
  });
});

describe('What has ended', () => {
  it('is forgotten after a day, and beyond a thousand', async () => {
    const { runs, clock } = runsOf(async () => ({ result: {}, partial: false }));
    const first = await runs.start(OWNER, WORK);
    await all(runs.events(first.id, 0, never));
    clock.advance(86_400_001);
    expect(await runs.list('')).toEqual([]);
    for (let count = 0; count < 1001; count += 1) {
      await all(runs.events((await runs.start(OWNER, WORK)).id, 0, never));
    }
    expect(await runs.find(first.id)).toBeUndefined();
    expect(await runs.list('')).toHaveLength(1000);
  });

  scenario('run-kept', 'makes room only for runs of the same token, and only after its end', async () => {
    const { work, finish, begin } = held();
    const quick: DoWork = async () => ({ result: {}, partial: false });
    const { runs } = runsOf((...all) => (all[1].caller === 'busy@' ? quick(...all) : work(...all)), { atOnce: 2 });
    const began = begin();
    const waiting = [await runs.start(OWNER, WORK), await runs.start(OWNER, WORK)];
    await began;
    finish[0]?.();
    await all(runs.events(waiting[0]?.id ?? '', 0, never));
    const busy = { ...OWNER, caller: 'busy@' };
    for (let count = 0; count < 1001; count += 1) await all(runs.events((await runs.start(busy, WORK)).id, 0, never));
    expect((await runs.list('', OWNER.caller)).map(({ state }) => state)).toEqual(['running', 'succeeded']);
    expect(await runs.list('', busy.caller)).toHaveLength(1000);
    await runs.close(0);
  });

  it('makes room by size for runs of the same token alone', async () => {
    const { runs } = runsOf(async () => ({ result: 'x'.repeat(30_000_000), partial: false }));
    const [mine, first, second] = [
      await runs.start(OWNER, WORK),
      await runs.start({ ...OWNER, caller: 'large@' }, WORK),
      await runs.start({ ...OWNER, caller: 'large@' }, WORK),
    ];
    for (const { id } of [mine, first, second]) await all(runs.events(id, 0, never));
    const kept = await Promise.all([mine, first, second].map(({ id }) => runs.find(id)));
    expect(kept.map((run) => run?.state)).toEqual(['succeeded', undefined, 'succeeded']);
  });
});

describe('Waiting work of one token', () => {
  it.each([
    ['runs', { ...WORK, args: {} }, 1000],
    ['bytes', { ...WORK, args: { text: 'x'.repeat(20_000_000) } }, 2],
  ] as const)('has a limit of %s, and leaves room for other tokens of its tenant', async (_what, work, most) => {
    const { runs } = runsOf(held().work, { atOnce: 1 });
    for (let count = 0; count <= most; count += 1) await runs.start(OWNER, work);
    const accepted = (await runs.list('')).length;
    await expect(runs.start(OWNER, work)).rejects.toMatchObject({
      code: 'quota',
      hint: 'Wait for runs to end, or stop some: DELETE /v1/runs/{id}.',
    });
    expect(await runs.list('')).toHaveLength(accepted);
    expect((await runs.start({ ...OWNER, caller: 'other@' }, work)).state).toBe('queued');
    await runs.close(0);
  });
});

describe('The end', () => {
  it('waits for what runs, and stops what waits', async () => {
    const { work, finish } = held();
    const { runs } = runsOf(work, { atOnce: 1 });
    const [running, waiting] = [await runs.start(OWNER, WORK), await runs.start(OWNER, WORK)];
    const closed = runs.close(600_000);
    finish[0]?.();
    await closed;
    expect((await runs.find(running.id))?.state).toBe('succeeded');
    expect((await runs.find(waiting.id))?.state).toBe('stopped');
  });

  it('does not wait for work that does not heed its stop', async () => {
    const { runs } = runsOf(() => new Promise(() => undefined));
    const { id } = await runs.start(OWNER, WORK);
    await runs.close(0);
    expect((await runs.find(id))?.state).toBe('running');
  });

  it('stops what runs when the time is up', async () => {
    const { runs } = runsOf(held().work);
    const { id } = await runs.start(OWNER, WORK);
    await runs.close(0);
    expect((await runs.find(id))?.state).toBe('stopped');
  });
});

describe('A reader', () => {
  it('that comes late, or leaves and comes back, misses nothing that is kept', async () => {
    const history = newHistory();
    history.add('state', 1);
    const whole = all(history.follow(0, never));
    history.add('progress', 2);
    history.end(3);
    expect((await whole).map(({ id, data }) => [id, data])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    expect((await all(history.follow(2, never))).map(({ id }) => id)).toEqual([3]);
    expect(await all(history.follow(3, never))).toEqual([]);
    expect(await all(history.follow(99, never))).toEqual([]);
  });

  it('that leaves is let go', async () => {
    const left = new AbortController();
    const reading = all(newHistory().follow(0, left.signal));
    left.abort();
    expect(await reading).toEqual([]);
  });

  it('of a long run gets the latest events', async () => {
    const history = newHistory();
    for (let count = 0; count < MOST_EVENTS + 10; count += 1) history.add('progress', count);
    history.end({});
    const events = await all(history.follow(0, never));
    expect([events.length, events[0]?.id]).toEqual([MOST_EVENTS, 12]);
  });
});
