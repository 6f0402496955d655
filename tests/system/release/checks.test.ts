/** A list of checks: all of them run, each has a line, and one problem fails the list. */
import { listed, runChecks } from '../../../scripts/checks.ts';

const passing = { title: 'Tree', run: () => 'clean' };
const failing = { title: 'Version', run: () => ({ found: 'It is 1.', remedy: 'Set\n  another.' }) };
const throwing = { title: 'Lock file', run: () => Promise.reject(new Error('no such file')) };

test.each([
  { title: 'no problem', checks: [passing], passed: true, lines: ['✓ Tree: clean'] },
  {
    title: 'a problem before a check that passes',
    checks: [failing, passing],
    passed: false,
    lines: ['✗ Version: It is 1. Set another.', '✓ Tree: clean'],
  },
  {
    title: 'an error before a check that passes',
    checks: [throwing, passing],
    passed: false,
    lines: ['✗ Lock file: no such file', '✓ Tree: clean'],
  },
])('$title', async ({ checks, passed, lines }) => {
  const printed: string[] = [];
  expect(await runChecks(checks, (line) => printed.push(line))).toBe(passed);
  expect(printed).toEqual(lines);
});

test.each([
  [['a'], 'a'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b, c, d, e'],
  [['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'a, b, c, d, e and 2 more'],
])('%j is shortened to %s', (names, text) => {
  expect(listed(names)).toBe(text);
});
