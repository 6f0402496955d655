import { GrowingContext } from '../../../lib/output/merge.ts';

describe('the context of a session', () => {
  const value = 'x'.repeat(6_000_000);

  test('is full when what it has is too large, before the next command runs', () => {
    const context = new GrowingContext();
    for (const path of ['A', 'B']) {
      context.checkRoom();
      context.add([{ path, value }]);
    }
    expect(() => context.checkRoom()).toThrow('The context has more than 10000000 characters.');
  });

  test('has room for values that replace others', () => {
    const context = new GrowingContext({ A: 'old' });
    for (let at = 0; at < 4; at += 1) {
      context.checkRoom();
      context.add([{ path: 'A', key: [], value }]);
    }
    expect(context.value).toEqual({ A: value });
  });
});
