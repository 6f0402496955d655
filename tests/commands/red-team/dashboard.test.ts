import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { objectOf, objectsOf } from '../../../lib/core/json.ts';
import { markdown } from '../../../lib/output/markdown.ts';
import { requirement } from '../../contract/claims.ts';
import { answering } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { DATA, describeGoldens, type Golden, MGMT } from './golden.ts';

const { supportChatbot, legacyKiosk } = RED_TEAM_IDS.targets;
const ID = '4d7a0e95-c2f8-4b16-8e3d-a16c5f90b273';

const statistics = 'aisec-redteam-dashboard-scan-statistics';
const trend = 'aisec-redteam-dashboard-score-trend';
const quota = 'aisec-redteam-metering-quota';
const overview = 'aisec-redteam-dashboard-overview';

const keys = { [statistics]: [], [trend]: ['target_id'], [quota]: [], [overview]: [] };

const counts = [
  { name: 'AGENT', count: 0 },
  { name: 'MODEL', count: 3 },
];
const more = (rows: readonly object[]) => rows.map((row) => ({ ...row, targets_by_type: [] }));
const risks = [
  { risk_rating: 'CRITICAL', total: 1 },
  { risk_rating: 'LOW', total: 0 },
];
const details = { allocated: 5, consumed: 0, unlimited: false };

const goldens: readonly Golden[] = [
  {
    command: statistics,
    what: 'every argument',
    args: `date_range=30d target_id=${ID}`,
    script: [
      {
        request: `GET ${DATA}/dashboard/scan-statistics?date_range=30d&target_id=${ID}`,
        answer: {
          total_scans: 4,
          targets_scanned: 0,
          targets_scanned_by_type: counts,
          scan_status: [{ name: 'IN_PROGRESS', count: 2 }],
          risk_profile: more(risks),
        },
      },
    ],
    value: {
      total_scans: 4,
      targets_scanned: 0,
      targets_scanned_by_type: counts,
      scan_status: [{ name: 'IN_PROGRESS', count: 2 }],
      risk_profile: risks,
    },
  },
  {
    command: statistics,
    what: 'an answer that leaves out all it can',
    args: '',
    script: [{ request: `GET ${DATA}/dashboard/scan-statistics`, answer: { total_scans: 0 } }],
    value: {
      total_scans: 0,
      targets_scanned: null,
      targets_scanned_by_type: null,
      scan_status: null,
      risk_profile: null,
    },
  },
  {
    command: trend,
    what: 'scores, and buckets without one',
    args: `target_id=${ID}`,
    script: [
      {
        request: `GET ${DATA}/dashboard/score-trend?target_id=${ID}`,
        answer: { labels: ['Nov 1', 'Nov 2'], series: [{ label: 'STATIC', data: [null, 0] }, { label: 'DYNAMIC' }] },
      },
    ],
    value: {
      target_id: ID,
      labels: ['Nov 1', 'Nov 2'],
      series: [
        { label: 'STATIC', data: [null, 0] },
        { label: 'DYNAMIC', data: null },
      ],
    },
  },
  {
    command: quota,
    what: 'a full answer, and one type that is left out',
    args: '',
    script: [
      {
        request: `POST ${DATA}/metering/quota`,
        answer: { static: details, dynamic: { allocated: 0, consumed: 7, unlimited: true } },
      },
    ],
    value: {
      static: details,
      dynamic: { allocated: 0, consumed: 7, unlimited: true },
      custom: { allocated: null, consumed: null, unlimited: null },
    },
    planned: null,
  },
  {
    command: overview,
    what: 'a full answer',
    args: '',
    script: [
      {
        request: `GET ${MGMT}/dashboard/overview`,
        answer: { total_targets: 3, targets_by_type: counts },
      },
    ],
    value: { total_targets: 3, targets_by_type: counts },
  },
];

describe('requests and context', () => {
  describeGoldens({ prefixes: ['aisec-redteam-dashboard', 'aisec-redteam-metering'], keys, goldens });

  scenario.each([
    { line: statistics, answer: { risk_profile: {} }, path: 'AiSec.RedTeamScanStatistics.risk_profile' },
    { line: statistics, answer: { scan_status: [{ count: 'many' }] }, path: 'scan_status[0].count' },
    { line: quota, answer: { static: { consumed: 'few' } }, path: 'AiSec.RedTeamQuota.static.consumed' },
    { line: overview, answer: { total_targets: [] }, path: 'AiSec.RedTeamDashboardOverview.total_targets' },
  ])('unknown-response-field', '$line rejects a response of another type and names $path', async (row) => {
    const error = await answering(() => ({ answer: row.answer })).fail(`!${row.line}`);
    expect(error).toMatchObject({ code: 'response', exitCode: 8 });
    expect(error.message).toContain(row.path);
  });
});

describe('scan statistics', () => {
  const totalOf = async (args: string) => (await warRoom().value(`!${statistics} ${args}`))['total_scans'];

  requirement(
    'red-team-statistics-window',
    'a shorter window counts at most as many scans as a longer window',
    async () => {
      const [all, month, week] = [await totalOf(''), await totalOf('date_range=30d'), await totalOf('date_range=7d')];
      expect([all, month, week].map(Number).sort((one, other) => other - one)).toEqual([all, month, week]);
      expect(Number(week)).toBeLessThan(Number(all));
      expect(await totalOf('date_range=LAST_7_DAYS')).toBe(week);
    },
  );

  requirement('red-team-statistics-of-target', 'counts one target, or all targets', async () => {
    const room = warRoom();
    const [all, one] = [
      await room.value(`!${statistics}`),
      await room.value(`!${statistics} target_id=${supportChatbot}`),
    ];
    expect(one).toMatchObject({ targets_scanned: 1 });
    expect(Number(all['targets_scanned'])).toBeGreaterThan(1);
    expect(await room.fail(`!${statistics} target_id=chat`)).toMatchObject({ exitCode: 2, argument: 'target_id' });
  });

  requirement('red-team-statistics-groups', 'groups add up to the totals', async () => {
    const found = await warRoom().value(`!${statistics}`);
    const sum = (rows: unknown) => objectsOf(rows).reduce((total, { count }) => total + Number(count), 0);
    expect(sum(found['scan_status'])).toBe(found['total_scans']);
    expect(sum(found['targets_scanned_by_type'])).toBe(found['targets_scanned']);
    expect(objectsOf(found['risk_profile']).map(({ risk_rating }) => risk_rating)).toEqual([
      'CRITICAL',
      'HIGH',
      'MEDIUM',
      'LOW',
    ]);
  });
});

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

describe('score trend', () => {
  requirement(
    'red-team-score-trend-aligned',
    'every series has a value for each bucket, and the table shows them side by side',
    async () => {
      const { writes, readable } = await warRoom().run(`!${trend} target_id=${supportChatbot}`);
      const { labels, series } = objectOf(writes[0]?.value);
      const [buckets, lines] = [listOf(labels), objectsOf(series)];
      expect(buckets.length).toBeGreaterThan(1);
      for (const { data } of lines) expect(data).toHaveLength(buckets.length);
      const scores = listOf(lines[0]?.['data']);
      const at = scores.findIndex((score) => score !== null);
      expect(readable.tables[1]?.columns).toEqual(['Time', ...lines.map(({ label }) => label)]);
      expect(readable.tables[1]?.rows[at]?.slice(0, 2)).toEqual([buckets[at], String(scores[at])]);
    },
  );

  test('without scores the table names the days of the window', async () => {
    const { readable } = await warRoom().run(`!${trend} target_id=${legacyKiosk}`);
    expect(markdown(readable)).toContain('the last seven');
    expect(readable.tables).toHaveLength(1);
  });
});

describe('quota and overview', () => {
  requirement('red-team-quota-by-job-type', 'the quota has its numbers for each type of scan', async () => {
    const room = warRoom();
    const found = await room.value(`!${quota}`);
    const numbers = { allocated: expect.any(Number), consumed: expect.any(Number), unlimited: expect.any(Boolean) };
    expect(found).toEqual({ static: numbers, dynamic: numbers, custom: numbers });
    const { readable } = await room.run(`!${quota}`);
    expect(readable.tables[0]?.rows).toHaveLength(9);
  });

  scenario('retry-read-by-post', 'the quota is read by an idempotent POST, which a dry run sends', async () => {
    let asked = 0;
    const room = answering(() => {
      asked += 1;
      return asked === 1 ? { status: 503 } : { answer: { static: details } };
    });
    const { planned, writes } = await room.run(`!${quota}`, { dryRun: true });
    expect([asked, planned, writes.length]).toEqual([2, false, 1]);
  });

  requirement('red-team-overview-by-type', 'targets are counted in all and by type', async () => {
    expect(await warRoom().value(`!${overview}`)).toEqual({
      total_targets: 5,
      targets_by_type: expect.arrayContaining([
        { name: 'APPLICATION', count: 3 },
        { name: 'AGENT', count: 1 },
      ]),
    });
  });
});
