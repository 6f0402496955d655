import { wilson } from '../../../lib/features/interval.ts';

describe('the interval of Wilson', () => {
  // Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I, method 3.
  test.each([
    { successes: 81, trials: 263, low: 0.2553, high: 0.3662 },
    { successes: 15, trials: 148, low: 0.0624, high: 0.1605 },
    { successes: 0, trials: 20, low: 0, high: 0.1611 },
    { successes: 1, trials: 29, low: 0.0061, high: 0.1718 },
    { successes: 20, trials: 20, low: 0.8389, high: 1 },
  ])('of $successes in $trials is $low to $high', ({ successes, trials, low, high }) => {
    const interval = wilson(successes, trials);
    expect(interval?.low).toBeCloseTo(low, 4);
    expect(interval?.high).toBeCloseTo(high, 4);
  });

  test.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [-1, 5],
    [Number.NaN, Number.NaN],
  ])('of %d in %d does not exist', (successes, trials) => {
    expect(wilson(successes, trials)).toBeUndefined();
  });
});
