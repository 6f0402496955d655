import { boolean, number, record, string, unknown } from '../../lib/runtime/output/record.ts';

const counts = (what: string) => ({
  rows: ['name', 'count'],
  items: { name: string(`Name of the ${what}.`), count: number('Number of scans or targets.') },
});

export const ScanStatistics = record('AiSec.RedTeamScanStatistics', 'Red-Team Scan Statistics', [], {
  total_scans: number('Number of scans.'),
  targets_scanned: number('Number of scanned targets.'),
  targets_scanned_by_type: unknown('Scanned targets, by type.', counts('type')),
  scan_status: unknown('Scans by status.', counts('status')),
  risk_profile: unknown('Scans by risk rating.', {
    rows: ['risk_rating', 'total'],
    items: {
      risk_rating: string('CRITICAL, HIGH, MEDIUM or LOW.'),
      total: number('Number of scans with this rating.'),
    },
  }),
});

export const ScoreTrend = record('AiSec.RedTeamScoreTrend', 'Red-Team Score Trend', 'target_id', {
  target_id: string('Identifier of the target.', { argument: 'target_id' }),
  labels: unknown('Time buckets, in their order.', { hidden: true }),
  series: unknown('One series for each job type: its label, and its data in the order of the buckets.', {
    hidden: true,
    items: {
      label: string('Job type.'),
      data: unknown('Scores, in the order of the buckets; null where no scan completed.'),
    },
  }),
});

export const DashboardOverview = record('AiSec.RedTeamDashboardOverview', 'Red-Team Overview', [], {
  total_targets: number('Number of targets.'),
  targets_by_type: unknown('Targets by type.', counts('type')),
});

const quota = (kind: string) => ({
  allocated: number(`Number of ${kind} scans that are allocated.`),
  consumed: number(`Number of ${kind} scans that are consumed.`),
  unlimited: boolean(`Whether ${kind} scans are unlimited.`),
});

const [ofStatic, ofDynamic, ofCustom] = [quota('static'), quota('dynamic'), quota('custom')];

export const Quota = record('AiSec.RedTeamQuota', 'Red-Team Quota', [], {
  'static.allocated': ofStatic.allocated,
  'static.consumed': ofStatic.consumed,
  'static.unlimited': ofStatic.unlimited,
  'dynamic.allocated': ofDynamic.allocated,
  'dynamic.consumed': ofDynamic.consumed,
  'dynamic.unlimited': ofDynamic.unlimited,
  'custom.allocated': ofCustom.allocated,
  'custom.consumed': ofCustom.consumed,
  'custom.unlimited': ofCustom.unlimited,
});
