/** Runs inside this process: the behaviour of all runs, the number that run at once, and their end. */

import { getEventListeners } from 'node:events';
import { registry } from '../../../commands/index.ts';
import { MAX_EVENTS, RunHistory } from '../../../lib/runs/history.ts';
import { needsThisProcess, type RunRequest } from '../../../lib/runs/port.ts';
import { findCommand } from '../../../lib/runtime/engine/command.ts';
import { expectNone } from '../../support/expect-none.ts';
import { all, describeRuns, held, never, OTHER, OWNER, runsOf, WORK } from './suite.ts';

describeRuns('inside this process', async (work, slots, maxQueued) => {
  const { runs } = runsOf(work, { atOnce: slots, ...(maxQueued === undefined ? {} : { maxQueued }) });
  return { runs, close: () => runs.close(0) };
});

describe('Progress', () => {
  it('is told up to its last line, even if nothing follows for a long time', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
    try {
      let end = (): void => undefined;
      const { runs } = runsOf(async (_work, _owner, { onProgress }) => {
        for (const line of ['1', '2', '3']) onProgress(line);
        await new Promise<void>((resolve) => {
          end = resolve;
        });
        return { result: {}, partial: false };
      });
      const { id } = await runs.start(OWNER, WORK);
      jest.advanceTimersByTime(100);
      const told: unknown[] = [];
      for await (const { event, data } of runs.events(id, 0, never) ?? []) {
        if (event === 'progress') told.push(data);
        if (told.length === 2) end();
      }
      expect(told).toEqual([{ progress: '1' }, { progress: '3' }]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is reported at most ten times a second', async () => {
    const { runs, clock } = runsOf(async (_work, _owner, { onProgress, onTask }) => {
      for (const line of ['1', '2', '3']) onProgress(line);
      clock.advance(100);
      onProgress('4');
      onTask({ id: '1' });
      return { result: {}, partial: false };
    });
    const { id } = await runs.start(OWNER, WORK);
    const events = await all(runs.events(id, 0, never));
    const told = events.filter(({ event }) => event === 'progress' || event === 'task').map(({ data }) => data);
    expect(told).toEqual([{ progress: '1' }, { progress: '4' }, { id: '1' }]);
    expect((await runs.find(id))?.progress).toBe('4');
  });
});

describe('Concurrency', () => {
  it('is limited for each tenant; the next run begins when a run ends', async () => {
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

  it.each([
    // The first token would be next, but its run has not ended.
    ['one two one two', [1, 2], 'one two two one'],
  ])('goes to the tokens with the fewest running runs: %s', async (callers, ended, expected) => {
    const began: string[] = [];
    const ends: (() => void)[] = [];
    const { runs } = runsOf(
      (_work, { caller }) =>
        new Promise((resolve) => {
          began.push(caller);
          ends.push(() => resolve({ result: {}, partial: false }));
        }),
      { atOnce: 2 },
    );
    for (const caller of callers.split(' ')) await runs.start({ ...OWNER, caller }, WORK);
    for (const at of ended) {
      ends[at]?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(began.join(' ')).toBe(expected);
  });
});

describe('Counts', () => {
  it('show how long the oldest run has waited', async () => {
    const { work, begin, finish } = held();
    const { runs, clock } = runsOf(work, { atOnce: 1 });
    expect(await runs.counts()).toEqual({ queued: 0, running: 0, oldestMs: 0, workers: 1 });
    const { id } = await runs.start(OWNER, WORK);
    clock.advance(5000);
    // A run that is not waiting has no age.
    expect((await runs.counts()).oldestMs).toBe(0);
    await runs.start(OWNER, WORK);
    clock.advance(300);
    await runs.start(OWNER, WORK);
    clock.advance(1000);
    expect(await runs.counts()).toEqual({ queued: 2, running: 1, oldestMs: 1300, workers: 1 });
    // The machine's clock may be set back.
    clock.jump(-10_000);
    expect((await runs.counts()).oldestMs).toBe(0);
    clock.jump(10_000);
    const began = begin();
    finish[0]?.();
    await all(runs.events(id, 0, never));
    await began;
    expect((await runs.counts()).oldestMs).toBe(1000);
    await runs.close(0);
  });
});

describe('A run in lists', () => {
  it.each<[RunRequest, string]>([
    [WORK, 'aisec-runtime-topics-list'],
    [
      {
        kind: 'line',
        session: 's',
        line: '!aisec-runtime-topics-list',
        shown: '!aisec-runtime-topics-list',
        dryRun: false,
        commands: ['aisec-runtime-topics-list'],
      },
      'line',
    ],
    [{ kind: 'playbook', playbook: 'id: x', inputs: {}, dryRun: false, commands: [] }, 'playbook'],
  ])('is named after its work', async (work, expected) => {
    const { runs } = runsOf(held().work);
    await runs.start(OWNER, work);
    expect((await runs.list('')).map(({ command }) => command)).toEqual([expected]);
    await runs.close(0);
  });

  it('is listed for its own tenant, and for its own token if a token is named', async () => {
    const { runs } = runsOf(held().work);
    const second = { ...OWNER, caller: 'nightly@' };
    for (const owner of [OWNER, second, OTHER]) await runs.start(owner, WORK);
    const owners = async (...asked: [string, string?]) => (await runs.list(...asked)).map(({ owner }) => owner);
    expect(await owners('')).toEqual([second, OWNER]);
    expect(await owners('', OWNER.caller)).toEqual([OWNER]);
    expect(await owners('other', OWNER.caller)).toEqual([OTHER]);
    await runs.close(0);
  });
});

describe('The end', () => {
  it('waits for running runs, and stops waiting runs', async () => {
    const { work, finish } = held();
    const { runs } = runsOf(work, { atOnce: 1 });
    const [running, waiting] = [await runs.start(OWNER, WORK), await runs.start(OWNER, WORK)];
    const closed = runs.close(600_000);
    finish[0]?.();
    await closed;
    expect((await runs.find(running.id))?.state).toBe('succeeded');
    expect((await runs.find(waiting.id))?.state).toBe('stopped');
  });

  it('does not wait for work that ignores its stop', async () => {
    const { runs } = runsOf(() => new Promise(() => undefined));
    const { id } = await runs.start(OWNER, WORK);
    await runs.close(0);
    expect((await runs.find(id))?.state).toBe('running');
  });

  it('stops running runs when the time is up', async () => {
    const { runs } = runsOf(held().work);
    const { id } = await runs.start(OWNER, WORK);
    await runs.close(0);
    expect((await runs.find(id))?.state).toBe('stopped');
  });
});

describe('A run that is missing or has ended', () => {
  it('is neither found, stopped, removed nor followed', async () => {
    const { runs } = runsOf(held().work);
    await runs.stop('none');
    await runs.remove('none');
    expect([await runs.find('none'), runs.events('none', 0, never)]).toEqual([undefined, undefined]);
  });

  it('keeps its outcome when it is stopped', async () => {
    const { runs } = runsOf(async () => ({ result: { a: 1 }, partial: false }));
    const { id } = await runs.start(OWNER, WORK);
    const events = await all(runs.events(id, 0, never));
    const ended = await runs.find(id);
    await runs.stop(id);
    expect(await runs.find(id)).toEqual(ended);
    expect(await all(runs.events(id, 0, never))).toEqual(events);
  });
});

const commandWork = (command: string): RunRequest => ({ kind: 'command', command, args: {}, dryRun: false });

describe('A process performs itself', () => {
  it.each<[string, RunRequest, boolean]>([
    ['a bulk scan, whose shards it hands out', commandWork('aisec-runtime-bulk-scan'), true],
    ['a command that takes a file', commandWork('aisec-redteam-prompt-sets-upload'), true],
    ['a command that returns a file', commandWork('aisec-redteam-report-download'), true],
    ['an unknown command', commandWork('aisec-nothing'), true],
    ['a line of a session', { kind: 'line', session: 's', line: '!x', shown: '!x', dryRun: false, commands: [] }, true],
    ['a playbook', { kind: 'playbook', playbook: '', inputs: {}, dryRun: false, commands: [] }, true],
    ['no scan', commandWork('aisec-runtime-scan'), false],
    ['no red-team scan', commandWork('aisec-redteam-scan-create'), false],
  ])('%s', async (_what, work, expected) => {
    const command = work.kind === 'command' ? await findCommand(registry, work.command) : undefined;
    expect(needsThisProcess(work, command)).toBe(expected);
  });

  it('every command that is declared to download a file', async () => {
    const wrong: string[] = [];
    for (const name of Object.keys(registry)) {
      const command = await findCommand(registry, name);
      const downloads = /\bdownload:/.test(String(command?.call));
      if (downloads !== (command?.returnsFile === true)) wrong.push(name);
    }
    expectNone(wrong, 'commands');
  });
});

describe('A reader', () => {
  it('that joins late or resumes misses no kept event', async () => {
    const history = new RunHistory();
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

  it('of a long run receives the latest events', async () => {
    const history = new RunHistory();
    for (let count = 0; count < MAX_EVENTS + 10; count += 1) history.add('progress', count);
    history.end({});
    const events = await all(history.follow(0, never));
    expect([events.length, events[0]?.id]).toEqual([MAX_EVENTS, 12]);
  });

  it('misses no event while it is busy with another event', async () => {
    const history = new RunHistory();
    history.add('state', 1);
    const events = history.follow(0, never)[Symbol.asyncIterator]();
    await events.next();
    history.add('task', 2);
    history.add('task', 3);
    expect([(await events.next()).value, (await events.next()).value]).toEqual([
      { id: 2, event: 'task', data: 2 },
      { id: 3, event: 'task', data: 3 },
    ]);
  });

  it('that disconnects gets no further event, even if events are pending', async () => {
    const history = new RunHistory();
    for (const data of [1, 2, 3]) history.add('progress', data);
    const left = new AbortController();
    const events = history.follow(0, left.signal)[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ id: 1 });
    left.abort();
    expect((await events.next()).done).toBe(true);
    expect(await all(history.follow(0, left.signal))).toEqual([]);
  });

  it('that disconnects while it is busy with the latest event is released', async () => {
    const history = new RunHistory();
    history.add('state', 1);
    const left = new AbortController();
    const events = history.follow(0, left.signal)[Symbol.asyncIterator]();
    await events.next();
    left.abort();
    expect(await Promise.race([events.next(), new Promise(setImmediate)])).toEqual({ done: true, value: undefined });
  });

  it('leaves no listener on its connection, however often it has waited', async () => {
    const history = new RunHistory();
    const { signal } = new AbortController();
    const reading = all(history.follow(0, signal));
    for (let count = 0; count < 20; count += 1) {
      history.add('progress', count);
      await new Promise(setImmediate);
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    }
    history.end({});
    expect(await reading).toHaveLength(21);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
