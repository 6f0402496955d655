/** Collects the data of a dashboard with a bounded number of requests. */
import { type AisecError, ConfigurationError } from '../../core/errors.ts';
import { flagOf, numberOf, object } from '../../core/received.ts';
import { plural } from '../../core/text/numbers.ts';
import type { RunCommand } from '../../runtime/engine/command-port.ts';
import type { Counted } from '../scans/chance.ts';
import { concernsOnlyThisRequest, ReportSource } from '../scans/collect/report-source.ts';
import { type Part, readCategories, readSeverities } from '../scans/report-data.ts';
import { blockedModels, expiringKeys, failedScans, mostUrgentFirst, openAttacks, usedQuotas } from './attention.ts';
import type { DashboardData, HeatCell, HeatColumn, Quota } from './model.ts';
import { type Group, groupsOf, newestFindings, newestScan, olderFindings, seriesOf } from './scans.ts';

/** Number of scans to read of each kind (red team and model), newest first. */
const MAX_SCANS = 500;
const MAX_KEYS = 1000;
/** Maximum number of charts: one for each target and scan type. */
const MAX_SERIES = 24;
/** Maximum number of reports read for the heat map: one request each. */
export const MAX_REPORTS = 12;

export interface DashboardOptions
  extends Pick<DashboardData, 'tenant' | 'profile' | 'production' | 'createdAt' | 'version'> {
  readonly progress: (line: string) => void;
}

/**
 * Collects the state of a tenant. A part that cannot be read is listed as missing, so that it never looks like a clean
 * result.
 * @throws AisecError of any kind if no part can be read, or if every other request would fail too
 */
export async function collectDashboard(run: RunCommand, options: DashboardOptions): Promise<DashboardData> {
  const { progress, createdAt, ...head } = options;
  const errors: AisecError[] = [];
  const source = new ReportSource(run, (error) => {
    errors.push(error);
    return error instanceof ConfigurationError || concernsOnlyThisRequest(error);
  });
  progress('Red-team scans');
  const scans = await source.optional('The red-team scans', 'aisec-redteam-scans-list', { limit: MAX_SCANS });
  const groups = groupsOf(scans?.raw);
  progress('Model scans');
  const models = await source.optional('The model scans', 'aisec-model-security-scans-list', { limit: MAX_SCANS });
  progress('API keys');
  const keys = await source.optional('The API keys', 'aisec-runtime-api-keys-list', { limit: MAX_KEYS });
  progress('Quota');
  const quota = quotaOf(await source.optional('The red-team quota', 'aisec-redteam-metering-quota', {}));
  const [error] = errors;
  if (error !== undefined && [scans, models, keys, quota].every((part) => part === undefined)) throw error;
  const older = await olderFindings(groups, source, progress);
  const measured = groups.filter((group) => group.type === 'STATIC' && newestScan(group) !== undefined);
  const heat = await heatOf(measured.slice(0, MAX_REPORTS), source, progress);
  const open = [...newestFindings(groups, heat, source.missing), ...older.found];
  const series = groups.map((group) => seriesOf(group, countsIn(heat))).filter((each) => each !== undefined);
  const attention = [
    ...openAttacks(open),
    ...expiringKeys(keys?.records ?? [], createdAt),
    ...blockedModels(models?.records ?? []),
    ...usedQuotas(quota ?? []),
    ...failedScans(groups),
  ];
  return {
    ...head,
    createdAt,
    series: series.slice(0, MAX_SERIES),
    heat,
    open,
    attention: mostUrgentFirst(attention),
    quota,
    bounds: [
      (scans?.records.length ?? 0) < MAX_SCANS ? undefined : `The newest ${MAX_SCANS} red-team scans were read.`,
      (models?.records.length ?? 0) < MAX_SCANS ? undefined : `The newest ${MAX_SCANS} model scans were read.`,
      (keys?.records.length ?? 0) < MAX_KEYS ? undefined : `The first ${MAX_KEYS} API keys were read.`,
      series.length <= MAX_SERIES
        ? undefined
        : `Charts show ${MAX_SERIES} of ${series.length} targets, by their newest scans.`,
      measured.length <= MAX_REPORTS
        ? undefined
        : `The heat map and the critical attacks cover ${MAX_REPORTS} of ${measured.length} targets with a static scan.`,
      older.unread === 0 ? undefined : `The older scans of ${plural(older.unread, 'target')} were not searched.`,
    ].filter((text) => text !== undefined),
    missing: source.missing,
    simulated: source.simulated,
  };
}

async function heatOf(
  groups: readonly Group[],
  source: ReportSource,
  progress: (line: string) => void,
): Promise<readonly HeatColumn[]> {
  const columns: HeatColumn[] = [];
  for (const [at, group] of groups.entries()) {
    const scan = newestScan(group)?.uuid;
    if (scan === undefined) continue;
    progress(`Report ${at + 1} of ${groups.length}`);
    const answer = await source.optional('A report', 'aisec-redteam-report-get', { job_id: scan, job_type: 'STATIC' });
    if (answer === undefined) continue;
    const { category_reports, severity_breakdown, successful_attacks = 1 } = answer.record;
    const severities = readSeverities(severity_breakdown);
    const counted = severities.reduce((sum, { successful = Number.NaN }) => sum + successful, 0);
    if (counted !== successful_attacks) {
      const what = `The severities of the attacks against ${group.target ?? 'a target'}`;
      source.missing.push({ what, why: `The report of the scan ${scan} does not count them all.`, failed: true });
    }
    columns.push({
      target: group.target,
      scan,
      cells: readCategories(category_reports).flatMap(cellsOf),
      severities: severities.map(({ severity = '', successful: hit = 0 }) => ({ severity, hit })),
    });
  }
  return columns;
}

/** Returns the sub-categories of a category, or the category itself; frameworks count the same attacks again. */
function cellsOf(category: ReturnType<typeof readCategories>[number]): readonly HeatCell[] {
  if (category.category === 'COMPLIANCE') return [];
  const { sub_categories: parts } = category;
  const title = titleOf(category);
  return (parts.length === 0 ? [category] : parts).flatMap((part) => {
    const { successful: hit, failed, total_attacks, total } = part;
    const all = total_attacks ?? total ?? (hit === undefined || failed === undefined ? undefined : hit + failed);
    return hit === undefined || all === undefined || all <= 0
      ? []
      : { category: title, kind: titleOf(part), hit, total: all };
  });
}

/** Sums the attacks of each report by kind. */
function countsIn(heat: readonly HeatColumn[]) {
  return (id: string | undefined): Counted | undefined => {
    const cells = heat.find(({ scan }) => scan === id)?.cells ?? [];
    const sumOf = (member: 'hit' | 'total') => cells.reduce((sum, cell) => sum + cell[member], 0);
    return cells.length === 0 ? undefined : { hits: sumOf('hit'), trials: sumOf('total'), isSame: true };
  };
}

function titleOf({ display_name, id, category }: Part): string {
  return display_name ?? id ?? category ?? 'not reported';
}

const QUOTA = object({ allocated: numberOf, consumed: numberOf, unlimited: flagOf });

function quotaOf(answer: { readonly record: unknown } | undefined): readonly Quota[] | undefined {
  if (answer === undefined) return undefined;
  const read = object({ static: QUOTA, dynamic: QUOTA, custom: QUOTA })(answer.record);
  return Object.entries(read).map(([type, { allocated, consumed, unlimited = false }]) => ({
    type: `${type.charAt(0).toUpperCase()}${type.slice(1)} scans`,
    ...{ consumed, allocated, unlimited },
  }));
}
