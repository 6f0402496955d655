/** Collects the results of all scans of a target, in their order. */

import { isObject } from '../../../core/json.ts';
import { anyOf, list, numberOf, object, textOf } from '../../../core/received.ts';
import type { ArgumentsOf, RedTeamScan } from '../../commands.ts';
import { type Counted, isContradicted, scanInterval } from '../chance.ts';
import { timeOf } from '../page/format.ts';
import type { ReportSource } from './report-source.ts';

/** A scan with its attack success rate in percent, unless it is missing or contradicted, its risk score from 0 to 100, and the time as the service sends it. */
export type HistoryPoint = Readonly<ReturnType<typeof pointOf>>;

export interface History {
  readonly target: string | undefined;
  /** Oldest first. */
  readonly points: readonly HistoryPoint[];
  /** Number of scans of the tenant that were searched, if there may be more. */
  readonly searched: number | undefined;
}

/** Scans of the tenant that are searched for those of the target. */
const MAX_SCANS = 500;
/** Keep the newest scans and the compared scans. */
const MAX_POINTS = 30;

/** Members of a scan in the service's list that make a point of a history. */
export const SCAN = {
  uuid: textOf,
  name: textOf,
  asr: numberOf,
  score: numberOf,
  completed: numberOf,
  total: numberOf,
  completed_at: textOf,
  created_at: textOf,
  time_record: object({ completed_at: textOf }),
  target_id: textOf,
  target: object({ uuid: textOf }),
  job_metadata: anyOf,
};
const readScan = object(SCAN);
const readScans = list(SCAN);
type Scan = ReturnType<typeof readScan>;

/**
 * Collects the completed scans of the given ones' targets, one history for each target. Scans of other types are left
 * out: their rates are shares of something else.
 * @param jobs of one type
 */
export async function historiesOf(jobs: readonly RedTeamScan[], source: ReportSource): Promise<readonly History[]> {
  const type = String(jobs[0]?.job_type) as ArgumentsOf<'aisec-redteam-scans-list'>['job_type'];
  const args = { job_type: type, status: 'COMPLETED', limit: MAX_SCANS } as const;
  const listed = await source.optional('The other scans of the target', 'aisec-redteam-scans-list', args);
  const scans = readScans(listed?.raw);
  const targets = [...new Set(jobs.map(({ target_id }) => textOf(target_id)))];
  return targets.map((target) => {
    const own = jobs.filter(({ target_id }) => textOf(target_id) === target);
    // A scan may be new, or beyond the end of the list.
    const all = [...own.map(readScan), ...scans.filter((scan) => (scan.target_id ?? scan.target.uuid) === target)];
    return {
      target: textOf(own[0]?.target_name),
      points: newest(
        ordered(all.map((scan) => pointOf(scan))),
        own.map(({ uuid }) => String(uuid)),
      ),
      searched: scans.length < MAX_SCANS ? undefined : MAX_SCANS,
    };
  });
}

/** Converts a scan to a point of a history. @param counted what its report counts, if it was read */
export function pointOf(
  { uuid, name, score, completed_at, time_record, created_at, job_metadata, ...rated }: Scan,
  counted?: Counted,
) {
  const finishedAt = completed_at ?? time_record.completed_at ?? created_at;
  const isWrong = rated.asr !== undefined && isContradicted(rated.asr, counted);
  const rate = isWrong
    ? { asr: undefined, isWrong, interval: undefined }
    : { asr: rated.asr, isWrong, interval: scanInterval(rated) };
  // Rates of different attacks are shares of different things.
  const attacks = JSON.stringify([settingsOf(job_metadata), rated.total]);
  return { id: String(uuid), name, finishedAt, score, attacks, ...rate };
}

/** Settings of a scan that choose no attacks. */
const PACE = /^(?:rate_limit|content_filter)/;

/** Writes the settings that choose the attacks of a scan as a text: the same for the same choice, in any order. */
export function settingsOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(settingsOf).sort().join()}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const names = Object.keys(value).filter((name) => !PACE.test(name));
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${settingsOf(value[name])}`)
    .join()}}`;
}

/** Returns the last points of a history that are of the same attacks: no other value is comparable with them. */
export function latestRun(points: readonly HistoryPoint[]): readonly HistoryPoint[] {
  const other = points.findLastIndex(({ attacks }) => attacks !== points.at(-1)?.attacks);
  return points.slice(other + 1);
}

/** Joins neighbouring values of the same attacks by a line; a missing value interrupts it. */
export function pathOf(
  points: readonly { readonly x: number; readonly y: number | undefined; readonly attacks: string }[],
) {
  return points
    .flatMap(({ x, y, attacks }, at) => {
      if (y === undefined) return [];
      const before = points[at - 1];
      return `${before?.y !== undefined && before.attacks === attacks ? 'L' : 'M'} ${x} ${y}`;
    })
    .join(' ');
}

/** Sorts points by their time, the oldest first; each scan once. */
export function ordered(points: readonly HistoryPoint[]): HistoryPoint[] {
  const unique = [...new Map(points.map((point) => [point.id, point])).values()];
  const at = ({ finishedAt }: HistoryPoint) => timeOf(finishedAt) ?? 0;
  return unique.sort((a, b) => at(a) - at(b));
}

function newest(points: readonly HistoryPoint[], ids: readonly string[]): HistoryPoint[] {
  const first = points.length - MAX_POINTS;
  return points.filter(({ id }, index) => index >= first || ids.includes(id));
}
