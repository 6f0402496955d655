/** Waiting for a scan ends with its caller; the memory of verdicts. */
import { NetworkError } from '../../../lib/core/errors.ts';
import { createGuard } from '../../../lib/guard/guard.ts';

import { inTime, VerdictCache } from '../../../lib/guard/scanning.ts';

import { scripted, verdictOf } from './scripted.ts';

const complete = verdictOf('hello', 'prompt');

/** Work that ends when the test says so, and the signal that it received. */
function working() {
  const begun: { signal?: AbortSignal; end: (value: string) => void } = { end: () => undefined };
  const work = (signal: AbortSignal) =>
    new Promise<string>((end) => {
      Object.assign(begun, { signal, end });
    });
  return { begun, work };
}

const FOREVER = 2 ** 31 - 1;

test('a caller who leaves ends the wait and the work', async () => {
  const { begun, work } = working();
  const [stay, leave] = [new AbortController(), new AbortController()];
  const waiting = inTime(work, FOREVER, [stay.signal, leave.signal]);
  leave.abort();
  await expect(waiting).rejects.toMatchObject({ reason: 'cancelled' });
  expect(begun.signal?.aborted).toBe(true);
});

test('a caller who has left starts no work', async () => {
  const { begun, work } = working();
  await expect(inTime(work, FOREVER, [AbortSignal.abort()])).rejects.toMatchObject({ reason: 'cancelled' });
  expect(begun.signal).toBeUndefined();
});

test('finished work gets no further signal from its callers', async () => {
  const { begun, work } = working();
  const heard: string[] = [];
  const stop = {
    aborted: false,
    addEventListener: (name: string) => heard.push(`added ${name}`),
    removeEventListener: (name: string) => heard.push(`removed ${name}`),
  };
  const waiting = inTime(work, FOREVER, [stop as never]);
  begun.end('done');
  expect(await waiting).toBe('done');
  expect(heard).toEqual(['added abort', 'removed abort']);
  expect(begun.signal?.reason).toMatchObject({ reason: 'cancelled' });
});

describe('cache', () => {
  test('scans the same content once, and says that the verdict is remembered', async () => {
    const { guard, asked } = scripted();
    expect(await guard.input('hello')).toMatchObject({ action: 'allow', cached: false });
    expect(await guard.input('hello')).toMatchObject({ action: 'allow', cached: true });
    expect(asked).toHaveLength(1);
  });

  test('scans the same content once while it is scanned', async () => {
    const { guard, asked } = scripted({ cache: false });
    await Promise.all([guard.input('hello'), guard.input('hello')]);
    expect(asked).toHaveLength(1);
  });

  test('keeps the scan of a caller when another caller of the same content leaves', async () => {
    const { guard } = scripted();
    const leaving = new AbortController();
    const both = [guard.input('hello', { signal: leaving.signal }), guard.input('hello')];
    leaving.abort();
    expect(await Promise.all(both)).toMatchObject([{ action: 'block', unscanned: 'cancelled' }, { action: 'allow' }]);
  });

  test.each([
    ['kind', async (guard: ReturnType<typeof scripted>['guard']) => guard.output('hello')],
    ['text', async (guard: ReturnType<typeof scripted>['guard']) => guard.input('hello ')],
    ['grounding', async (guard: ReturnType<typeof scripted>['guard']) => guard.output('hello', { grounding: 'x' })],
  ])('keeps contents with another %s separate', async (_, other) => {
    const { guard, asked } = scripted();
    await guard.input('hello');
    await other(guard);
    expect(asked).toHaveLength(2);
  });

  test.each<[string, (cache: { revision?: string | (() => string) }, next: () => void) => unknown]>([
    ['as a text', (cache) => Object.assign(cache, { revision: '2' })],
    ['as a function', (_, next) => next()],
  ])('forgets its verdicts for another revision, %s', async (how, change) => {
    let now = '1';
    const cache: { revision?: string | (() => string) } = { revision: how === 'as a text' ? '1' : () => now };
    const { guard, asked } = scripted({ cache });
    for (const isKnown of [false, true]) expect((await guard.input('hello')).cached).toBe(isKnown);
    change(cache, () => {
      now = '2';
    });
    for (const isKnown of [false, true]) expect((await guard.input('hello')).cached).toBe(isKnown);
    expect(asked).toHaveLength(2);
  });

  test.each([
    ['is no text', () => 2 as unknown as string],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
  ])('remembers nothing while the revision %s', async (_, revision) => {
    const { guard } = scripted({ cache: { revision } });
    for (let times = 0; times < 2; times += 1)
      expect(await guard.input('hello')).toMatchObject({ action: 'allow', cached: false });
  });

  test('keeps profiles separate, also for running scans', async () => {
    const answers: Record<string, unknown> = { lax: complete, strict: { ...complete, action: 'block' } };
    const { asked, scanner } = scripted();
    const ruled = {
      call: async (...call: Parameters<typeof scanner.call>) => ({
        ...(await scanner.call(...call)),
        raw: call[0] === 'aisec-runtime-scan' ? answers[String(call[1]['profile_name'])] : {},
      }),
    };
    const profile = ({ app_user }: { app_user?: string }) => app_user ?? '';
    const guard = createGuard(ruled, { profile });
    const ask = (app_user: string) => guard.input('hello', { app_user });
    const both = await Promise.all([ask('lax'), ask('strict')]);
    expect([...both, await ask('lax'), await ask('strict')].map(({ action }) => action)).toEqual([
      ...['allow', 'block', 'allow', 'block'],
    ]);
    expect(asked).toHaveLength(2);
  });

  test('remembers for the configured time, and only the most recent verdicts', () => {
    let now = 0;
    const cache = new VerdictCache<number>({ ttlMs: 1000, entries: 2 }, () => now);
    for (const [at, key] of ['a', 'b'].entries()) cache.set(key, at);
    expect(cache.get('a')).toBe(0);
    cache.set('c', 2);
    expect([cache.get('b'), cache.get('c')]).toEqual([undefined, 2]);
    now = 999;
    expect(cache.get('a')).toBe(0);
    now = 1000;
    expect([cache.get('a'), cache.get('c')]).toEqual([undefined, undefined]);
  });

  test('remembers the parts of a text that is longer than a scan can take', async () => {
    const { guard, asked } = scripted();
    expect((await guard.output('word '.repeat(4000))).cached).toBe(false);
    expect(asked).toHaveLength(1);
    const long = 'more '.repeat(4001);
    for (const isKnown of [false, true]) expect((await guard.output(long)).cached).toBe(isKnown);
    expect(asked.slice(1).map(({ text }) => text.length <= 20_000)).toEqual([true, true]);
    expect((await guard.output(`${long}end`)).cached).toBe(false);
  });

  test('remembers no masked text', async () => {
    const { guard } = scripted({ mask: { input: true } });
    for (let times = 0; times < 2; times += 1)
      expect(await guard.input('4111 1111 1111 1111')).toMatchObject({ action: 'mask', cached: false });
  });

  test.each<[string, () => unknown]>([
    [
      'error',
      () => {
        throw new NetworkError('no');
      },
    ],
    ['incomplete verdict', () => ({ ...complete, timeout: true })],
    ['malformed verdict', () => ({ ...complete, category: 'odd' })],
  ])('remembers no %s', async (_, first) => {
    const answers = [first];
    const { guard } = scripted({}, () => answers.shift()?.() ?? complete);
    expect((await guard.input('hello')).action).toBe('block');
    expect(await guard.input('hello')).toMatchObject({ action: 'allow', cached: false });
  });
});
