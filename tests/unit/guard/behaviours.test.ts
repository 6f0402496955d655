/** Each guard adapter in its framework: the same behaviours in all of them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/program.ts';
import { aiSdk } from './behaviours/ai-sdk.ts';
import { BEHAVIOURS, type Driver } from './behaviours/behaviours.ts';
import { body } from './behaviours/body.ts';
import { claudeAgent } from './behaviours/claude-agent.ts';
import { langchain } from './behaviours/langchain.ts';
import { mcp } from './behaviours/mcp.ts';
import { openAiAgents } from './behaviours/openai-agents.ts';

const DRIVERS: readonly Driver[] = [aiSdk, claudeAgent, langchain, openAiAgents, body, mcp];

describe.each(DRIVERS)('$adapter', (driver) => {
  const possible = BEHAVIOURS.filter(
    ({ title, needs }) => driver[needs] !== undefined && driver.without?.[title] === undefined,
  );
  test.each(possible)('$title', ({ run }) => run(driver as Required<Driver>));

  test('lacks only behaviours that exist', () => {
    const titles = BEHAVIOURS.map(({ title }) => title);
    expect(Object.keys(driver.without ?? {}).filter((title) => !titles.includes(title))).toEqual([]);
  });
});

test('each adapter of the package has a driver', () => {
  const adapters = readdirSync(join(ROOT, 'bin')).flatMap((name) => /^guard-(.+)\.ts$/.exec(name)?.[1] ?? []);
  const driven = new Set(DRIVERS.map(({ adapter }) => (adapter.startsWith('guard') ? 'http' : adapter)));
  expect([...driven].sort()).toEqual(adapters.sort());
});
