/** Numbers as pictures at a terminal. */
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { meter, shades, sparkline } from '../../lib/hosts/terminal/render/cells.ts';
import { altering, type Given, run } from '../unit/report/support.ts';

const { targets } = RED_TEAM_IDS;
const shown = async (words: readonly string[], given: Given = {}) => {
  const { stdout } = await run(words, {
    terminal: { columns: 80, rows: 60 },
    environment: { NO_COLOR: '1' },
    ...given,
  });
  return stdout.split('\n').map((line) => line.trimEnd());
};

describe('a line of scores', () => {
  test.each([
    { values: [0, 12, 13, 50, 99, 100], line: '▁▁▂▅██' },
    { values: [-5, 400], line: '▁█' },
    { values: [undefined, 50], line: '·▅' },
    { values: [], line: '' },
  ])('of $values is $line', ({ values, line }) => {
    expect(sparkline(values)).toBe(line);
  });
});

describe('a bar', () => {
  test.each([
    { part: 0, whole: 10, bar: '░░░░░' },
    { part: 1, whole: 1000, bar: '█░░░░' },
    { part: 999, whole: 1000, bar: '████░' },
    { part: 10, whole: 10, bar: '█████' },
    { part: 15, whole: 10, bar: '█████' },
    { part: 0, whole: 0, bar: '░░░░░' },
    { part: 1, whole: 0, bar: '█████' },
  ])('of $part in $whole is $bar', ({ part, whole, bar }) => {
    expect(meter(part, whole, 5)).toBe(bar);
  });
});

describe('a heat line', () => {
  test('shades by the largest number, and only 0 is a dot', () => {
    expect(
      shades([
        [0, 1, 50],
        [51, 100, 0],
      ]),
    ).toEqual(['··░░▒▒', '▓▓██··']);
    expect(shades([[0, 0]])).toEqual(['····']);
    expect(shades([])).toEqual([]);
  });
});

describe('at a terminal', () => {
  test('a quota has three bars', async () => {
    const lines = await shown(['redteam-metering-quota']);
    expect(lines.filter((line) => /^(?:static|dynamic|custom)/.test(line))).toEqual([
      'static   12 of 50      █████░░░░░░░░░░░░░░░',
      'dynamic  2 of 5        ████████░░░░░░░░░░░░',
      'custom   5, unlimited',
    ]);
  });

  test('violations are shaded by detector and severity', async () => {
    const app = ['app_id=1d5e9b37-a8c2-4f60-b3d9-4e07c6f28a51', 'app_name=support-chat'];
    const lines = await shown(['runtime-customer-apps-violations', ...app]);
    expect(lines.find((line) => line.startsWith('DETECTION TYPE'))).toMatch(/^DETECTION TYPE +C H M L +CRITICAL +HIGH/);
    expect(lines.find((line) => line.startsWith('dlp'))).toMatch(/^dlp +░░▓▓▒▒░░ +4 +19 +11 +2 +36$/);
  });

  test('a trend of scores has a line for each type with scores', async () => {
    const lines = await shown(['redteam-dashboard-score-trend', `target_id=${targets.supportChatbot}`]);
    expect(lines.filter((line) => /^(?:STATIC|DYNAMIC|CUSTOM) /.test(line))).toEqual([
      expect.stringMatching(/^STATIC +·*▃·* +36\.2$/),
    ]);
  });

  const scansOf = (target: string, more: object) =>
    altering('/v1/scan', (body) => {
      const { data = [] } = body as { data?: readonly { target_id: string; job_type: string }[] };
      const own = data.filter((scan) => scan.target_id === target).map((scan) => ({ ...scan, ...more }));
      return { data: own, pagination: { total_items: 2 } };
    });
  const SAME = { job_metadata: { categories: {} }, total: 48 };

  test.each([
    { what: 'of the same attacks', more: SAME, options: [], line: ['Score  ▁▃  7.14 → 36.2 in 2 scans'] },
    { what: 'in another order', more: SAME, options: ['--sort', 'asr'], line: ['Score  ▁▃  7.14 → 36.2 in 2 scans'] },
    { what: 'of different attacks', more: {}, options: [], line: [] },
  ])('the scans of one target have a line of their scores if they are comparable: $what', async (given) => {
    const alter = scansOf(targets.supportChatbot, given.more);
    const lines = await shown(['redteam-scans-list', ...given.options], { alter });
    expect(lines.filter((line) => line.startsWith('Score '))).toEqual(given.line);
  });

  test('the scans of several targets have no common line', async () => {
    const lines = await shown(['redteam-scans-list']);
    expect(lines.filter((line) => line.startsWith('Score '))).toEqual([]);
  });

  test.each([
    { what: 'JSON', more: ['--output', 'json'] },
    { what: 'markdown', more: ['--output', 'markdown'] },
    { what: 'CSV', more: ['--output', 'csv'] },
    { what: 'chosen fields', more: ['--fields', 'static'] },
  ])('$what have the numbers alone', async ({ more }) => {
    const { stdout } = await run(['redteam-metering-quota', ...more]);
    expect(stdout).not.toMatch(/[█░]/);
    expect(stdout).toContain('12');
  });

  test('a quota that is not reported is shown as it came', async () => {
    const alter = altering('/metering/quota', () => ({ static: null, dynamic: 'many', custom: { consumed: '5' } }));
    const lines = await shown(['redteam-metering-quota'], { alter });
    expect(lines.join('\n')).not.toMatch(/[█░]/);
  });
});
