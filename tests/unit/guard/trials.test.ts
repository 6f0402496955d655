/** The trials of `npm run test:guard-frameworks`, which install the real frameworks: each adapter has all of its cases. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/program.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const CASES: Readonly<Record<string, RegExp>> = {
  allow: /'(?:\$\{\w+\}: )?passes /,
  'block before the model starts': /before the (?:model|handler|server) (?:starts|runs)/,
  'block in the middle of a stream': /cuts (?:a stream|events) before|shows nothing of a bad stream/,
  mask: /masks /,
  'call of a tool': /(?:refuses|blocks) a bad call|refuses a call|'refuses'\} a call/,
  'service away': /follows onError \$\{onError\}/,
  'program of the document': /shows\('/,
};

/** Cases that a protocol without streams, without masks or without tools does not have. */
const NOT_IN: Readonly<Record<string, readonly string[]>> = {
  mcp: ['block in the middle of a stream', 'mask'],
  http: ['call of a tool'],
};

const adapters = readdirSync(join(ROOT, 'bin')).flatMap((name) => /^guard-(.+)\.ts$/.exec(name)?.[1] ?? []);

/** Reads the trial of an adapter, with the checks that it shares with other versions of its framework. */
function trialOf(adapter: string): string {
  const folder = join(ROOT, 'scripts', 'guard');
  const shared = adapter === 'ai-sdk' ? readFileSync(join(folder, 'ai-sdk.mjs'), 'utf8') : '';
  return shared + readFileSync(join(folder, 'frameworks', `${adapter}.mjs`), 'utf8');
}

scenario.each(adapters.map((adapter) => ({ adapter })))(
  'guard-frameworks',
  'tries $adapter in its real framework, in each case',
  ({ adapter }) => {
    const trial = trialOf(adapter);
    const expected = Object.keys(CASES).filter((name) => NOT_IN[adapter]?.includes(name) !== true);
    expect(expected.filter((name) => CASES[name]?.test(trial) === true)).toEqual(expected);
  },
);

test('CI runs the trials', () => {
  expect(adapters).toHaveLength(6);
  expect(readFileSync(join(ROOT, '.ci', 'run'), 'utf8')).toContain('npm run --silent test:guard-frameworks');
});
