/** Groups the red-team scans of a tenant by target and type. */
import type { Counted } from '../report/chance.ts';
import { type ListedScan, pointOf, readScans, settingsOf } from '../report/collect/target-history.ts';
import { timeOf } from '../report/page/format.ts';
import type { Series } from './model.ts';

/** The newest scans of a series are kept. */
const MAX_POINTS = 30;

/** `settings` is the same text for scans that chose the same attacks. */
type Scan = ListedScan & { readonly settings: string };

/** The scans of one type against one target, the newest first. */
export interface Group {
  readonly target: string | undefined;
  readonly type: string;
  readonly scans: readonly Scan[];
}

/** Groups the service's list of scans; the most recently scanned target is first. */
export function groupsOf(raw: unknown): readonly Group[] {
  const scans = readScans(raw)
    .map((scan) => ({ ...scan, settings: settingsOf(scan.job_metadata) }))
    .sort((a, b) => createdAt(b) - createdAt(a));
  const groups = new Map<string, { target: string | undefined; type: string; scans: Scan[] }>();
  for (const scan of scans) {
    const { job_type: type = 'not reported' } = scan;
    const target = scan.target.name ?? scan.target_name ?? scan.target_id;
    const key = JSON.stringify([scan.target_id ?? scan.target.uuid ?? target, type]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { target, type, scans: [scan] });
    else group.scans.push(scan);
  }
  return [...groups.values()];
}

function createdAt({ created_at }: Scan): number {
  return timeOf(created_at) ?? 0;
}

/** Returns the completed scans; undefined if none has a rate. @param countsOf what the report of a scan counts */
export function seriesOf(
  { target, type, scans }: Group,
  countsOf: (scan: string | undefined) => Counted | undefined = () => undefined,
): Series | undefined {
  const points = scans
    .filter(({ status }) => status === 'COMPLETED')
    .map((scan) => pointOf(scan, countsOf(scan.uuid)))
    .sort((a, b) => (timeOf(a.finishedAt) ?? 0) - (timeOf(b.finishedAt) ?? 0));
  const isRated = points.some(({ asr, isWrong }) => asr !== undefined || isWrong);
  return !isRated ? undefined : { target, type, points: points.slice(-MAX_POINTS) };
}

/** Returns the newest completed scan. */
export function latestOf(group: Group): Scan | undefined {
  return completedOf(group)[0];
}

/** Returns the completed scans, the newest first. */
export function completedOf({ scans }: Group): readonly Scan[] {
  return scans.filter(({ status }) => status === 'COMPLETED');
}
