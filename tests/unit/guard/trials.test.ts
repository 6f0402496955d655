/** The trials in `npm run test:guard-frameworks`, which install the real frameworks: each adapter has all of its cases. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/program.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const CASES = [
  ...['passes an answer', 'blocks a prompt before the model starts', 'cuts an answer before the bad text'],
  ...['masks an answer', 'refuses a bad tool call', 'replaces a bad tool result', 'follows onError'],
];
/** Cases for a tool protocol, which has neither answers nor masks. */
const OF_TOOLS = ['passes a call', 'refuses a bad call before the server runs it', 'replaces a bad', 'follows onError'];

const adapters = readdirSync(join(ROOT, 'bin')).flatMap((name) => /^guard-(.+)\.ts$/.exec(name)?.[1] ?? []);
const textOf = (...path: readonly string[]) => readFileSync(join(ROOT, 'scripts', 'guard', ...path), 'utf8');

scenario.each(adapters.map((adapter) => ({ adapter })))(
  'guard-frameworks',
  'tries $adapter in its real framework, in each case',
  ({ adapter }) => {
    const shared = adapter === 'ai-sdk' ? textOf('ai-sdk.mjs') : '';
    const trial = shared + textOf('frameworks', `${adapter}.mjs`);
    const cases = trial.includes('await tryCases(titled, {') ? textOf('cases.mjs') : trial;
    expect((adapter === 'mcp' ? OF_TOOLS : CASES).filter((each) => !cases.includes(each))).toEqual([]);
    expect(trial).toContain("shows('");
    if (adapter !== 'http' && adapter !== 'mcp') expect(trial).toMatch(/^ {4}call: /m);
  },
);

test('CI runs the trials', () => {
  expect(adapters).toHaveLength(6);
  expect(readFileSync(join(ROOT, '.ci', 'run'), 'utf8')).toContain('npm run --silent test:guard-frameworks');
});
