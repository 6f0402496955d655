import { wilson } from '../../../lib/features/interval.ts';
import { rateInterval } from '../../../lib/features/report/chance.ts';

/** Rounds a share to four decimals, and a rate in percent to two: the precision of the published tables. */
const rounded = (value: number | undefined, decimals: number) => Number(value?.toFixed(decimals));

describe('The interval of Wilson', () => {
  // Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I, method 3.
  test.each([
    { successes: 81, trials: 263, low: 0.2553, high: 0.3662 },
    { successes: 15, trials: 148, low: 0.0624, high: 0.1605 },
    { successes: 0, trials: 20, low: 0, high: 0.1611 },
    { successes: 1, trials: 29, low: 0.0061, high: 0.1718 },
    { successes: 20, trials: 20, low: 0.8389, high: 1 },
    { successes: 0, trials: 10, low: 0, high: 0.2775 },
    { successes: 10, trials: 10, low: 0.7225, high: 1 },
  ])('of $successes in $trials is $low to $high, as a share and in percent', ({ successes, trials, low, high }) => {
    const share = wilson(successes, trials);
    expect([rounded(share?.low, 4), rounded(share?.high, 4)]).toEqual([low, high]);
    const rate = rateInterval(successes, trials);
    expect([rounded(rate?.low, 2), rounded(rate?.high, 2)]).toEqual([rounded(low * 100, 2), rounded(high * 100, 2)]);
    expect(rate?.trials).toBe(trials);
  });

  test.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [6, 5],
    [-1, 5],
    [Number.NaN, 5],
    [1, Number.NaN],
    [Number.NaN, Number.NaN],
  ])('of %d in %d does not exist', (successes, trials) => {
    expect(wilson(successes, trials)).toBeUndefined();
    expect(rateInterval(successes, trials)).toBeUndefined();
  });

  test('contains its rate, and is narrower the more trials there are', () => {
    const widths = [10, 100, 1000, 10_000].map((trials) => {
      const { low = 0, high = 0 } = rateInterval(trials * 0.3, trials) ?? {};
      expect(low).toBeLessThan(30);
      expect(high).toBeGreaterThan(30);
      return high - low;
    });
    expect(widths).toEqual(widths.toSorted((a, b) => b - a));
  });
});
