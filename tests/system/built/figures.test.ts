/** Published figures: measurements with their limits, in processes that nothing slows down. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { timeOf } from '../../../scripts/bench/measure.mjs';
import { expectNone } from '../../support/expect-none.ts';
import { ROOT } from '../../support/program.ts';

/** A cell of a table in docs/benchmarks.md, as a number. */
function figure(heading: string, title: string, column: number): number {
  const section =
    textOf('docs/benchmarks.md')
      .split(/^## /m)
      .find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const row = section.split('\n').find((line) => line.startsWith(`| ${title}`)) ?? '';
  return Number.parseFloat(row.split(' | ')[column] ?? '');
}

const SCAN = 'one scan against a service on this machine';
const README = [
  { sentence: /A scan takes ([\d.]+) times as long as an empty Node/, measured: () => figure('Cold start', SCAN, 1) },
  {
    sentence: /a bare `node:http` request takes ([\d.]+) times/,
    measured: () => figure('Cold start', SCAN, 2),
  },
  {
    sentence: /20,000 prompts is ([\d.]+) times as fast/,
    measured: () => figure('Bulk scans', 'bulk scan | 20000', 2),
  },
  {
    sentence: /a million prompts need ([\d.]+) MB/,
    measured: () => figure('A million prompts', 'bulk scan', 6),
  },
];

test.each(README)('the README has the measured figure: $sentence', ({ sentence, measured }) => {
  const stated = sentence.exec(textOf('README.md').replace(/\s+/g, ' '))?.[1];
  expect(stated).toBe(String(Number(measured().toPrecision(2))));
});

test('a measured process gets only PATH, HOME and its own variables', () => {
  const names = `Object.keys(process.env).sort().join()`;
  const check = `if (${names} !== 'GIVEN,HOME,PATH') throw new Error(${names})`;
  process.env['AISEC_STRAY'] = 'x';
  expect(timeOf([process.execPath, '-e', check], { GIVEN: '1' })).toBeGreaterThan(0);
  delete process.env['AISEC_STRAY'];
});

test("no benchmark passes on the user's environment", () => {
  const scripts = readdirSync(join(ROOT, 'scripts'), { recursive: true, encoding: 'utf8' });
  const measuring = scripts.filter((name) => /^(?:bench|queue|soak)\/.*\.[a-z]+$|^start-program\./.test(name));
  expect(measuring.length).toBeGreaterThan(10);
  expectNone(
    measuring.filter((name) => textOf(join('scripts', name)).includes('...process.env')),
    'scripts that measure with the environment of the user',
  );
});

function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
