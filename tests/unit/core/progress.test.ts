import { type Amount, duration, metered } from '../../../lib/core/progress.ts';

/** Reports amounts at given times. */
function reported(reports: readonly (readonly [number, Amount | undefined])[]): string[] {
  let now = 0;
  const lines: string[] = [];
  const show = metered((line) => void lines.push(line), { elapsed: () => now });
  for (const [at, amount] of reports) {
    now = at;
    show('x', amount);
  }
  return lines;
}

describe('a line of progress', () => {
  test.each<[string, Parameters<typeof reported>[0], string]>([
    ['no rate before a second report', [[0, { done: 5, total: 10 }]], 'x'],
    [
      'rate and time left',
      [
        [0, { done: 0, total: 5000 }],
        [4000, { done: 1160, total: 5000 }],
      ],
      'x, 290/s, 13 s left',
    ],
    [
      'a rate in minutes for slow work',
      [
        [0, { done: 0, total: 48 }],
        [60_000, { done: 12, total: 48 }],
      ],
      'x, 12/min, 3 min left',
    ],
    [
      'a rate in hours for slower work',
      [
        [0, { done: 0, total: 3 }],
        [3_600_000, { done: 2, total: 3 }],
      ],
      'x, 2/h, 30 min left',
    ],
    [
      'only the rate if the total is unknown',
      [
        [0, { done: 0 }],
        [1000, { done: 7 }],
      ],
      'x, 7/s',
    ],
    [
      'no remaining time at the end or beyond',
      [
        [0, { done: 0, total: 7 }],
        [1000, { done: 8, total: 7 }],
      ],
      'x, 8/s',
    ],
    [
      'no rate without progress',
      [
        [0, { done: 3, total: 7 }],
        [1000, { done: 3, total: 7 }],
      ],
      'x',
    ],
    [
      'no rate from earlier work',
      [
        [0, { done: 9, total: 10 }],
        [1000, { done: 1, total: 10 }],
      ],
      'x',
    ],
    [
      'no amount',
      [
        [0, undefined],
        [1000, undefined],
      ],
      'x',
    ],
    [
      'the rate of the last seconds',
      [
        [0, { done: 0 }],
        ...Array.from({ length: 20 }, (_, at): [number, Amount] => [60_000 + at * 1000, { done: 1000 + at * 5 }]),
      ],
      'x, 5/s',
    ],
  ])('has %s', (_what, reports, last) => {
    expect(reported(reports).at(-1)).toBe(last);
  });

  test.each([
    [0, '0 s'],
    [59_400, '59 s'],
    [65_000, '1 min 5 s'],
    [7_500_000, '2 h 5 min'],
  ])('formats %d ms as %s', (milliseconds, text) => {
    expect(duration(milliseconds)).toBe(text);
  });
});
