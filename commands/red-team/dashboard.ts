import { DashboardOverview, Quota, ScanStatistics, ScoreTrend } from '../../context/red-team/dashboard.ts';
import {
  cell,
  command,
  type JsonObject,
  objectsOf,
  one,
  path,
  redTeamData,
  redTeamManagement,
  type Table,
  text,
  uuid,
} from '../../lib/runtime/engine/declare.ts';
import { TARGETS } from '../lookups.ts';

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const scanStatistics = command(
  'aisec-redteam-dashboard-scan-statistics',
  'Count scans and scanned targets, by type, status and risk.',
  {
    effect: 'read',
    args: {
      date_range: text('Period to count.', {
        hints: ['30d', 'LAST_7_DAYS', 'LAST_15_DAYS', 'LAST_30_DAYS', 'ALL'],
      }),
      target_id: uuid('Return only scans of this target.', { lookup: TARGETS }),
    },
    output: one(ScanStatistics),
    example: 'date_range=30d',
    call: (query) => redTeamData.get(path`/v1/dashboard/scan-statistics`, query),
  },
);

export const scoreTrend = command('aisec-redteam-dashboard-score-trend', 'Show the scores of a target over time.', {
  effect: 'read',
  args: { target_id: uuid('Identifier of the target.', { lookup: TARGETS, required: true, positional: true }) },
  output: one(ScoreTrend),
  run: async (query, { api, note, show }) => {
    const trend = await api.fetch(redTeamData.get(path`/v1/dashboard/score-trend`, query));
    const table = trendTable(trend);
    if (table.rows.some((row) => row.slice(1).some((score) => score !== ''))) show(table);
    else note('No scan of this target completed in the last seven days.');
    return trend;
  },
});

/** Creates a table with a row for each time bucket and a column for each series. */
function trendTable({ labels, series }: JsonObject): Table {
  const lines = objectsOf(series);
  const rows = listOf(labels).map((label, at) => [cell(label), ...lines.map(({ data }) => cell(listOf(data)[at]))]);
  return { title: 'Scores', columns: ['Time', ...lines.map(({ label }) => cell(label))], rows };
}

export const quota = command('aisec-redteam-metering-quota', 'Get the scan quota: allocated and consumed.', {
  effect: 'read',
  args: {},
  output: one(Quota),
  call: () => redTeamData.post(path`/v1/metering/quota`),
});

export const overview = command('aisec-redteam-dashboard-overview', 'Count the targets, in total and by type.', {
  effect: 'read',
  args: {},
  output: one(DashboardOverview),
  call: () => redTeamManagement.get(path`/v1/dashboard/overview`),
});
