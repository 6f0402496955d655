/** The events of a run, and their readers. */
import { getEventListeners } from 'node:events';
import { MAX_EVENTS, RunHistory } from '../../../lib/runs/history.ts';
import { all, never } from './suite.ts';

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

  it('that leaves is released', async () => {
    const left = new AbortController();
    const reading = all(new RunHistory().follow(0, left.signal));
    left.abort();
    expect(await reading).toEqual([]);
  });

  it('of a long run receives the latest events', async () => {
    const history = new RunHistory();
    for (let count = 0; count < MAX_EVENTS + 10; count += 1) history.add('progress', count);
    history.end({});
    const events = await all(history.follow(0, never));
    expect([events.length, events[0]?.id]).toEqual([MAX_EVENTS, 12]);
  });

  it('that has read everything waits for the next event', async () => {
    const history = new RunHistory();
    const events = history.follow(0, never)[Symbol.asyncIterator]();
    for (const [at, name] of (['state', 'progress', 'task'] as const).entries()) {
      const next = events.next();
      history.add(name, { at });
      expect(await next).toEqual({ done: false, value: { id: at + 1, event: name, data: { at } } });
    }
    const last = events.next();
    history.end('over');
    expect(await last).toEqual({ done: false, value: { id: 4, event: 'end', data: 'over' } });
    expect((await events.next()).done).toBe(true);
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

  it('that leaves gets no further event, even if events are pending', async () => {
    const history = new RunHistory();
    for (const data of [1, 2, 3]) history.add('progress', data);
    const left = new AbortController();
    const events = history.follow(0, left.signal)[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ id: 1 });
    left.abort();
    expect((await events.next()).done).toBe(true);
    expect(await all(history.follow(0, left.signal))).toEqual([]);
  });

  it('that leaves while it is busy with the latest event is released', async () => {
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
