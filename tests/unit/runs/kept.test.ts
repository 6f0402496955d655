/** Kept and waiting runs of each token, and the bytes that the token and its tenant may hold. */
import type { PerformRun, RunOwner, Runs } from '../../../lib/runs/port.ts';
import { Quota } from '../../../lib/runs/quota.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { all, held, never, OTHER, OWNER, runsOf, WORK } from './suite.ts';

interface Large {
  readonly name: string;
  /** Size of its result and of one of its tasks, in thousands of characters. */
  readonly result?: number;
  readonly task?: number;
  readonly owner?: RunOwner;
}

const thousands = (count: number) => 'x'.repeat(count * 1000);

/** Starts runs in order of their names, ends them in the order of the list, and returns the names of kept runs. */
async function keptOf(ends: readonly Large[]): Promise<string[]> {
  const finish = new Map<string, () => void>();
  const { runs, clock } = runsOf(
    (work, _owner, { onTask }) =>
      new Promise((resolve) => {
        const { name, result = 0, task = 0 } = (work as { args: object }).args as Large;
        onTask(thousands(task));
        finish.set(name, () => resolve({ result: thousands(result), partial: false }));
      }),
    { maxKeptCharacters: 50_000 },
  );
  const ids = new Map<string, string>();
  for (const { owner = OWNER, ...args } of ends.toSorted((one, other) => one.name.localeCompare(other.name)))
    ids.set(args.name, (await runs.start(owner, { ...WORK, args })).id);
  for (const { name } of ends) {
    finish.get(name)?.();
    await all(runs.events(ids.get(name) ?? '', 0, never));
    clock.advance(1);
  }
  const found = await Promise.all([...ids].map(async ([name, id]) => ((await runs.find(id)) ? [name] : [])));
  return found.flat();
}

describe('An ended run', () => {
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

  it.each([
    ['found', async (runs: Runs, id: string) => (await runs.find(id)) !== undefined],
    ['listed', async (runs: Runs, id: string) => (await runs.list('')).some((run) => run.id === id)],
  ])('is %s for a whole day, and an unfinished run for longer', async (_how, isKept) => {
    const { work, finish } = held();
    const { runs, clock } = runsOf(work, { atOnce: 1 });
    const [ended, running, waiting] = [
      await runs.start(OWNER, WORK),
      await runs.start(OWNER, WORK),
      await runs.start(OWNER, WORK),
    ];
    clock.advance(1000);
    finish[0]?.();
    await all(runs.events(ended.id, 0, never));
    clock.advance(86_400_000);
    expect(await isKept(runs, ended.id)).toBe(true);
    clock.advance(1);
    expect(await isKept(runs, ended.id)).toBe(false);
    expect([await isKept(runs, running.id), await isKept(runs, waiting.id)]).toEqual([true, true]);
    await runs.close(0);
  });

  scenario('run-kept', 'is removed only for runs of the same token, and only after its end', async () => {
    const { work, finish, begin } = held();
    const quick: PerformRun = async () => ({ result: {}, partial: false });
    const { runs } = runsOf((...all) => (all[1].caller === 'busy@' ? quick(...all) : work(...all)), {
      atOnce: 2,
      maxKept: 10,
    });
    const began = begin();
    const waiting = [await runs.start(OWNER, WORK), await runs.start(OWNER, WORK)];
    await began;
    finish[0]?.();
    await all(runs.events(waiting[0]?.id ?? '', 0, never));
    const busy = { ...OWNER, caller: 'busy@' };
    for (let count = 0; count < 11; count += 1) await all(runs.events((await runs.start(busy, WORK)).id, 0, never));
    expect((await runs.list('', OWNER.caller)).map(({ state }) => state)).toEqual(['running', 'succeeded']);
    expect(await runs.list('', busy.caller)).toHaveLength(10);
    await runs.close(0);
  });

  it('is removed by size, 50 MB, only for runs of the same token', async () => {
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

  it.each<[string, readonly Large[], readonly string[]]>([
    ['the first to end', [30, 30].map((result, at) => ({ name: 'ba'.charAt(at), result })), ['a']],
    ['no more than necessary', ['a', 'b', 'c'].map((name) => ({ name, result: 20 })), ['b', 'c']],
    ['not the last run, however large it is', [{ name: 'a', result: 60 }], ['a']],
    ['runs with large tasks as well', ['a', 'b'].map((name) => ({ name, task: 30 })), ['b']],
    [
      'no runs of other tokens and tenants',
      [
        { name: 'a', result: 30 },
        { name: 'token', result: 30, owner: { ...OWNER, caller: 'other@' } },
        { name: 'tenant', result: 30, owner: OTHER },
        { name: 'b', result: 30 },
      ],
      ['b', 'tenant', 'token'],
    ],
  ])('is removed by size: %s', async (_what, ends, expected) => {
    expect(await keptOf(ends)).toEqual(expected);
  });

  it('is removed if the results are one character too long', async () => {
    const kept = async (maxKeptCharacters: number) => {
      const { runs } = runsOf(async () => ({ result: {}, partial: false }), { maxKeptCharacters });
      for (let count = 0; count < 2; count += 1) await all(runs.events((await runs.start(OWNER, WORK)).id, 0, never));
      return runs.list('');
    };
    const size = JSON.stringify((await kept(10_000))[0]).length;
    expect([await kept(2 * size), await kept(2 * size - 1)].map(({ length }) => length)).toEqual([2, 1]);
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
      retryable: true,
      message: 'The waiting runs of this token have reached their limit of 1000 runs or 50 MB.',
      hint: 'Wait for runs to end, or stop some.',
    });
    expect(await runs.list('')).toHaveLength(accepted);
    expect((await runs.start({ ...OWNER, caller: 'other@' }, work)).state).toBe('queued');
  });
});

describe('Waiting work of one tenant', () => {
  const size = JSON.stringify(WORK).length;
  it.each([
    [2, 2 * size],
    [1, 2 * size - 1],
  ])('is refused after %s runs with a limit of %s characters', async (most, maxQueuedCharacters) => {
    const { runs } = runsOf(held().work, { atOnce: 1, maxQueuedCharacters });
    for (let count = 0; count <= most; count += 1) await runs.start({ ...OWNER, caller: `${count}@` }, WORK);
    await expect(runs.start(OWNER, WORK)).rejects.toMatchObject({
      name: 'BusyError',
      code: 'busy',
      retryable: true,
      message: 'Too many runs are queued.',
      hint: 'Try again later.',
    });
    expect((await runs.start(OTHER, WORK)).state).toBe('running');
    await runs.close(0);
  });
});

describe('Bytes of a token', () => {
  const options = { noun: 'files', own: 10, tenant: 25, hint: 'Delete some.' };

  scenario('fair-memory', 'have a limit for the token and a limit shared by its tenant', () => {
    const quota = new Quota(options);
    for (const owner of ['a/t', 'b/t']) quota.take(owner, 10);
    expect(() => quota.take('a/t', 1)).toThrow('The files of this token have reached their limit');
    expect(() => quota.take('c/t', 6)).toThrow('The files of this tenant have reached their limit');
    quota.take('c/t', 5);
    quota.take('c/other', 10);
    quota.give('a/t', 10);
    quota.take('a/t', 10);
  });

  scenario('fair-memory', 'are returned, and a refusal does not count', () => {
    const quota = new Quota(options);
    for (let count = 0; count < 100; count += 1) expect(() => quota.take('a/t', 11)).toThrow();
    quota.take('a/t', 10);
  });

  it('beyond a limit are refused with the limit and how to make room', () => {
    const quota = new Quota({ noun: 'sessions', own: 50_000_000, tenant: 75_500_000, hint: 'Close some.' });
    const problem = (message: string) => ({ code: 'quota', retryable: true, hint: 'Close some.', message });
    quota.take('ci@/t', 50_000_000);
    expect(thrownBy(() => quota.take('ci@/t', 1))).toMatchObject(
      problem('The sessions of this token have reached their limit of 50 MB.'),
    );
    expect(thrownBy(() => quota.take('nightly@/t', 30_000_000))).toMatchObject(
      problem('The sessions of this tenant have reached their limit of 75.5 MB.'),
    );
  });

  it('of tokens with names of any length count for their tenant, whatever its name', () => {
    const quota = new Quota(options);
    for (const owner of ['a/eu/west', 'nightly@/eu/west']) quota.take(owner, 10);
    expect(() => quota.take('ci@/eu/west', 6)).toThrow('of this tenant');
    quota.take('ci@/us/west', 6);
    quota.take('ci@/eu', 6);
  });

  it('that already exist are counted beyond every limit', () => {
    const quota = new Quota(options);
    quota.add('a/t', 30);
    expect(() => quota.take('a/t', 1)).toThrow('of this token');
    expect(() => quota.take('b/t', 1)).toThrow('of this tenant');
    quota.give('a/t', 25);
    quota.take('a/t', 5);
    expect(() => quota.take('a/t', 1)).toThrow('of this token');
  });

  it('are never negative, so that no token gains room', () => {
    const quota = new Quota(options);
    quota.take('a/t', 5);
    quota.give('a/t', 100);
    quota.take('a/t', 10);
    expect(() => quota.take('a/t', 1)).toThrow('of this token');
    quota.take('b/t', 10);
    expect(() => quota.take('c/t', 6)).toThrow('of this tenant');
  });
});

function thrownBy(act: () => void): unknown {
  try {
    act();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}
