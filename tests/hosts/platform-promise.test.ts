import fc from 'fast-check';
import { SyncPromise } from '../../lib/hosts/platform/promise.ts';
import { expectNone } from '../support/expect-none.ts';
import { shareOf } from '../support/runs.ts';

function raise(text: string): never {
  throw new Error(text);
}

function caught(act: () => unknown): unknown {
  try {
    return act();
  } catch (thrown) {
    return thrown;
  }
}

/** The members that both promise classes have. */
interface Chain {
  then(resolved?: (value: unknown) => unknown, rejected?: (reason: unknown) => unknown): Chain;
  catch(rejected: (reason: unknown) => unknown): Chain;
}

interface Maker {
  new (executor: (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => void): Chain;
  resolve(value?: unknown): Chain;
  reject(reason: unknown): Chain;
  all(items: readonly unknown[]): Chain;
}

const native = Promise as unknown as Maker;
const synchronous = SyncPromise as unknown as Maker;

const KINDS = ['value', 'throw', 'resolved', 'rejected', 'thenable', 'catch', 'late', 'twice'] as const;
type Kind = (typeof KINDS)[number];

/** Starts every chain, and logs the turns of each in order. */
function play(promises: Maker, chains: readonly (readonly Kind[])[], log: string[]): Chain {
  const ends = chains.map((kinds, chain) =>
    kinds.reduce<Chain>((before, kind, step) => {
      const name = `${chain}.${step}`;
      return next(promises, before, kind, name, (value) => log.push(`${name} ${String(value)}`));
    }, promises.resolve('start')),
  );
  const together = [promises.all(ends), promises.all([...ends, 'plain'])];
  for (const [index, chain] of together.entries()) {
    chain.then(
      (value) => log.push(`together ${index} ${JSON.stringify(value)}`),
      (reason) => log.push(`together ${index} failed ${String(reason)}`),
    );
  }
  return promises.all(ends.map((end) => end.catch(() => undefined)));
}

function next(promises: Maker, before: Chain, kind: Kind, name: string, note: (value: unknown) => void): Chain {
  const seen = (result: () => unknown) => (value: unknown) => {
    note(value);
    return result();
  };
  switch (kind) {
    case 'value':
      return before.then(seen(() => name));
    case 'throw':
      return before.then(seen(() => raise(name)));
    case 'resolved':
      return before.then(seen(() => promises.resolve(name)));
    case 'rejected':
      return before.then(seen(() => promises.reject(name)));
    case 'thenable':
      // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
      return before.then(seen(() => ({ then: (resolve: (value: unknown) => void) => resolve(name) })));
    case 'catch':
      return before.catch(seen(() => name));
    case 'late':
      return before.then(seen(() => new promises((resolve) => promises.resolve().then(() => resolve(name)))));
    case 'twice':
      return before.then(
        seen(
          () =>
            new promises((resolve, reject) => {
              resolve(name);
              reject('too late');
              throw new Error('later still');
            }),
        ),
      );
  }
}

describe('the synchronous promise', () => {
  const take = (chain: Chain): unknown => SyncPromise.take(chain as unknown as SyncPromise<unknown>);

  test('runs its callbacks in the order of the native promise', async () => {
    const chains = fc.array(fc.array(fc.constantFrom(...KINDS), { maxLength: 6 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(chains, async (kinds) => {
        const [expected, actual]: [string[], string[]] = [[], []];
        play(native, kinds, expected);
        await new Promise((resolve) => setImmediate(resolve));
        take(play(synchronous, kinds, actual));
        expect(actual).toEqual(expected);
      }),
      { numRuns: shareOf(300) },
    );
  });

  test('returns its value at once', () => {
    expect(take(synchronous.resolve(1).then((value) => Number(value) + 1))).toBe(2);
    expectNone(take(synchronous.all([])), 'values of no promises');
  });

  test('throws the reason of a rejection unchanged', () => {
    const reason = { any: 'thing' };
    expect(caught(() => take(synchronous.reject(reason)))).toBe(reason);
    expect(caught(() => take(new synchronous(() => raise('in the executor'))))).toEqual(new Error('in the executor'));
  });

  test('throws if it can never settle', () => {
    expect(() => take(new synchronous(() => undefined))).toThrow('did not settle');
  });

  test('does not wait for itself', () => {
    let settle: (value: unknown) => void = () => undefined;
    const chain = new synchronous((resolve) => {
      settle = resolve;
    });
    settle(chain);
    expect(() => take(chain)).toThrow(TypeError);
  });
});
