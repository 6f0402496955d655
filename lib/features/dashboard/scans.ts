/**
 * Groups a tenant's red-team scans by target and type, and finds successful attacks that no later scan has shown the target to
 * withstand.
 */

import { AisecError, NotFoundError } from '../../core/errors.ts';
import { type Counted, isPercent } from '../scans/chance.ts';
import type { ReportSource } from '../scans/collect/report-source.ts';
import { attackChoice, type ListedScan, pointOf, readScans } from '../scans/collect/target-history.ts';
import { compareTested, recordOf } from '../scans/compare.ts';
import { timeOf } from '../scans/format.ts';
import type { MissingPart } from '../scans/report-data.ts';
import { readTested, type TestedList } from '../scans/tested.ts';
import type { HeatColumn, OpenFindings, Series } from './model.ts';

/** Number of newest scans that a series keeps. */
const MAX_POINTS = 30;

/** Scans that chose the same attacks have the same string in `settings`. */
type Scan = ListedScan & { readonly settings: string };

/** The scans of one type against one target, newest first. */
export interface Group {
  readonly target: string | undefined;
  readonly type: string;
  readonly scans: readonly Scan[];
}

/** Groups the service's list of scans; the most recently scanned target comes first. */
export function groupsOf(raw: unknown): readonly Group[] {
  const scans = readScans(raw)
    .map((scan) => ({ ...scan, settings: attackChoice(scan.job_metadata) }))
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

/**
 * Returns the completed scans; undefined if no scan has a rate. @param countsOf returns the counts in a scan's report
 */
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
export function newestScan(group: Group): Scan | undefined {
  return completedOf(group)[0];
}

/** Returns the completed scans, newest first. */
function completedOf({ scans }: Group): readonly Scan[] {
  return scans.filter(({ status }) => status === 'COMPLETED');
}

/** Maximum scans, across all targets, whose attacks are read: each takes at least one request. */
const MAX_LISTS = 24;

const NOUNS: Readonly<Record<string, string>> = { DYNAMIC: 'stream', CUSTOM: 'prompt' };

/** Counts what the newest scans found: by severity for a static scan, by success rate for any other. */
export function newestFindings(
  groups: readonly Group[],
  heat: readonly HeatColumn[],
  missing: MissingPart[],
): readonly OpenFindings[] {
  return groups.flatMap((group): readonly OpenFindings[] => {
    const { target, type } = group;
    const { uuid: scan, asr, completed, total } = newestScan(group) ?? {};
    if (scan === undefined) return [];
    const common = { target, scan, isOlder: false };
    const column = heat.find((each) => each.scan === scan);
    if (column !== undefined) return [{ ...common, severities: column.severities, noun: 'attack' }];
    const trials = completed ?? total;
    const noun = NOUNS[type];
    if (noun === undefined) return [];
    if (!isPercent(asr) || trials === undefined) {
      const what = `The result of the newest scan of ${target ?? 'a target'}`;
      missing.push({ what, why: `The scan ${scan} reports no share of its ${noun}s.`, failed: true });
      return [];
    }
    return [{ ...common, severities: [], noun, hits: Math.round((asr / 100) * trials), trials }];
  });
}

/**
 * Reads the findings of older scans whose attacks no later scan has repeated. @returns also the number of targets with
 * unread older scans
 */
export async function olderFindings(groups: readonly Group[], source: ReportSource, progress: (line: string) => void) {
  const found: (readonly OpenFindings[])[] = [];
  let [left, unread] = [MAX_LISTS, 0];
  for (const group of groups) {
    const wider = widerScans(group);
    if (wider.length === 0) continue;
    if (wider.length + 1 > left) {
      unread += 1;
      continue;
    }
    left -= wider.length + 1;
    progress(`Older scans of ${group.target ?? 'a target'}`);
    found.push(await findingsOf(group, wider, source));
  }
  return { found: found.flat(), unread };
}

/** Lists older scans that may have run attacks that no later scan has: they have other settings, or more attacks. */
function widerScans(group: Group) {
  const most = new Map<string, number>();
  return completedOf(group).filter(({ settings, total = 0 }, at) => {
    const isWider = total > (most.get(settings) ?? -1);
    if (isWider) most.set(settings, total);
    return at > 0 && isWider;
  });
}

async function findingsOf(group: Group, wider: ReturnType<typeof widerScans>, source: ReportSource) {
  const found: OpenFindings[] = [];
  const newest = newestScan(group);
  let later = newest === undefined ? undefined : (await attacksOf(newest, source))?.tested;
  for (const scan of wider) {
    const own = later === undefined ? undefined : await attacksOf(scan, source);
    if (own === undefined || later === undefined) break;
    const { tested, noun } = own;
    const open = compareTested(tested, later).incomparable.flatMap(({ before, after }) => {
      const record = recordOf(before);
      const now = recordOf(after)?.outcome ?? 'unanswered';
      return record?.outcome === 'successful' && !record.markedSafe && now === 'unanswered' ? [record] : [];
    });
    later = [...later, ...tested];
    if (open.length === 0) continue;
    const severities = [...new Set(open.map(({ severity = '' }) => severity))].map((severity) => ({
      severity,
      hit: open.filter((record) => (record.severity ?? '') === severity).length,
    }));
    found.push({ target: group.target, scan: String(scan.uuid), isOlder: true, noun, hits: open.length, severities });
  }
  return found;
}

async function attacksOf(scan: Group['scans'][number], source: ReportSource): Promise<TestedList | undefined> {
  const what = 'The attacks of an older scan';
  try {
    const list = await readTested(scan, source.run);
    if (list.gap === undefined) return list;
    source.missing.push({ what, why: list.gap, failed: true });
  } catch (thrown) {
    if (!(thrown instanceof AisecError)) throw thrown;
    source.missing.push({ what, why: thrown.message, failed: !(thrown instanceof NotFoundError) });
  }
  return undefined;
}
