import {
  intervalOf,
  pairedChance,
  probabilityText,
  rateInterval,
  unpairedChance,
} from '../../../lib/features/scans/chance.ts';
import { wilson } from '../../../lib/features/scans/interval.ts';

describe('the interval of Wilson', () => {
  // Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I, method 3.
  test.each([
    { successes: 81, trials: 263, low: 0.2553, high: 0.3662 },
    { successes: 15, trials: 148, low: 0.0624, high: 0.1605 },
    { successes: 0, trials: 20, low: 0, high: 0.1611 },
    { successes: 20, trials: 20, low: 0.8389, high: 1 },
  ])('of $successes in $trials is $low to $high, as a share and in percent', ({ successes, trials, low, high }) => {
    const share = wilson(successes, trials);
    expect([share?.low.toFixed(4), share?.high.toFixed(4)]).toEqual([low.toFixed(4), high.toFixed(4)]);
    const rate = rateInterval(successes, trials);
    expect([rate?.low.toFixed(2), rate?.high.toFixed(2)]).toEqual([(low * 100).toFixed(2), (high * 100).toFixed(2)]);
    expect(rate?.trials).toBe(trials);
  });

  test.each([
    [0, 0],
    [2, 1],
    [-1, 5],
    [Number.NaN, 5],
    [1, Number.NaN],
  ])('of %d in %d does not exist', (successes, trials) => {
    expect([wilson(successes, trials), rateInterval(successes, trials)]).toEqual([undefined, undefined]);
  });

  test.each([
    { what: 'a rate of two decimals', rate: 27.08, trials: 48, known: true },
    { what: 'a rate that is not a share of the attacks', rate: 27, trials: 48, known: false },
    { what: 'a rate without a number of attacks', rate: 27.08, trials: undefined, known: false },
    { what: 'a scan without a rate', rate: undefined, trials: 48, known: false },
    { what: 'no attacks', rate: 0, trials: 0, known: false },
    { what: 'half an attack', rate: 50, trials: 1.5, known: false },
  ])('of $what is known: $known', ({ rate, trials, known }) => {
    expect(intervalOf(rate, trials) !== undefined).toBe(known);
  });
});

describe('a difference', () => {
  test.each([
    // 2 * (1/2)^5
    { worse: 5, better: 0, p: 0.0625, within: true },
    { worse: 0, better: 6, p: 0.03125, within: false },
    { worse: 3, better: 3, p: 1, within: true },
    // 2 * (1 + 10 + 45) / 1024
    { worse: 2, better: 8, p: 0.109375, within: true },
  ])('of $worse new and $better fixed attacks has the paired p $p', ({ worse, better, p, within }) => {
    const tested = pairedChance(worse, better);
    expect(tested.p).toBeCloseTo(p, 10);
    expect([tested.within, tested.test]).toEqual([within, 'exact McNemar test']);
  });

  test.each([
    // Fisher's tea: 3 of 4 against 1 of 4 is (16 + 1 + 16 + 1) / 70.
    { before: [3, 4], after: [1, 4], p: 34 / 70 },
    { before: [4, 4], after: [0, 4], p: 2 / 70 },
    { before: [1, 12], after: [9, 12], p: 0.002_759_456 },
    { before: [0, 5], after: [0, 5], p: 1 },
  ])('of $before and $after in different attacks has the p $p', ({ before, after, p }) => {
    const counts = ([hits = 0, trials = 0]: readonly number[]) => ({ hits, trials });
    expect(unpairedChance(counts(before), counts(after)).p).toBeCloseTo(p, 8);
  });

  test('of large scans stays a number', () => {
    expect(pairedChance(30_000, 30_100).within).toBe(true);
    expect(pairedChance(30_000, 20_000)).toMatchObject({ p: 0, within: false });
    expect(unpairedChance({ hits: 9000, trials: 50_000 }, { hits: 9010, trials: 50_000 }).within).toBe(true);
  });

  test.each([
    [1, 'p = 1'],
    [0.109375, 'p = 0.11'],
    [0, 'p < 0.0001'],
  ])('with the p %s reads %s', (p, text) => {
    expect(probabilityText(p)).toBe(text);
  });
});
