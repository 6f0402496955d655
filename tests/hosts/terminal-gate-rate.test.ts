import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { altering, type Given, run } from '../unit/report/support.ts';

const { jobs } = RED_TEAM_IDS;
const gate = (more: readonly string[] = [], columns = 80, given: Given = {}) =>
  run(['gate', 'redteam', jobs.static, '--max-asr', '90', ...more], {
    terminal: { columns, rows: 24 },
    environment: { NO_COLOR: '1' },
    ...given,
  });

describe('aisec gate redteam', () => {
  test('shows the success rate with its interval in the first line', async () => {
    const { stdout } = await gate();
    expect(stdout.split('\n')[0]).toBe(
      '✓ redteam support-chatbot monthly  ASR 27.08 % (16.6–41 % at 95 %)     SIMULATED',
    );
  });

  test('leaves the rate out where the line has no room', async () => {
    const { stdout } = await gate([], 60);
    expect(stdout.split('\n')[0]).toMatch(/^✓ redteam support-chatbot monthly +SIMULATED$/);
  });

  test('leaves out an interval of a rate that is no share of the attacks', async () => {
    const alter = altering(`/scan/${jobs.static}`, (body) => ({ ...(body as object), asr: 27 }));
    const { stdout } = await gate([], 80, { alter });
    expect(stdout.split('\n')[0]).toMatch(/^✓ redteam support-chatbot monthly +SIMULATED$/);
  });

  test('gives programs the rate with its bounds', async () => {
    const { stdout } = await gate(['--output', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      rate: { asr: 27.08, interval: { low: 16.57, high: 41 } },
    });
  });
});
