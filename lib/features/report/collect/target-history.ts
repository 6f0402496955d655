/** Collects the results of all scans of a target, so that two of them can be seen in their order. */
import { type JsonObject, objectOf, objectsOf } from '../../../engine/json.ts';
import { numberOf, textOf, timeOf } from '../page/format.ts';
import type { ReportSource } from './report-source.ts';

/** The result of one scan. */
export interface HistoryPoint {
  readonly id: string;
  readonly name: string | undefined;
  /** As the service sends it. */
  readonly finishedAt: string | undefined;
  /** Attack success rate, in percent. */
  readonly asr: number | undefined;
  /** Risk score, from 0 to 100. */
  readonly score: number | undefined;
}

export interface History {
  readonly target: string | undefined;
  /** Oldest first. */
  readonly points: readonly HistoryPoint[];
  /** Number of scans of the tenant that were searched, if there may be more. */
  readonly searched: number | undefined;
}

/** Scans of the tenant that are searched for those of the target. */
const MAX_SCANS = 500;
/** The newest scans are kept, and those that are compared. */
const MAX_POINTS = 30;

/**
 * Collects the completed scans of the given ones' targets, one history for each target. Scans of other types are left
 * out: their rates are shares of something else.
 * @param jobs outputs of `aisec-redteam-scan-get`, of one type
 */
export async function historiesOf(
  jobs: readonly JsonObject[],
  source: Pick<ReportSource, 'optional'>,
): Promise<readonly History[]> {
  const args = { job_type: String(jobs[0]?.['job_type']), status: 'COMPLETED', limit: String(MAX_SCANS) };
  const listed = await source.optional('The other scans of the target', 'aisec-redteam-scans-list', args);
  const scans = objectsOf(listed?.raw);
  const targets = [...new Set(jobs.map(({ target_id }) => textOf(target_id)))];
  return targets.map((target) => {
    const own = jobs.filter(({ target_id }) => textOf(target_id) === target);
    // A scan may be new, or beyond the end of the list.
    const points = [...own.map(pointOf), ...scans.filter((scan) => targetOf(scan) === target).map(pointOf)];
    const ids = own.map(({ uuid }) => String(uuid));
    return {
      target: textOf(own[0]?.['target_name']),
      points: newest(ordered(points), ids),
      searched: scans.length < MAX_SCANS ? undefined : MAX_SCANS,
    };
  });
}

function targetOf({ target_id, target }: JsonObject): string | undefined {
  return textOf(target_id) ?? textOf(objectOf(target)['uuid']);
}

function pointOf({ uuid, name, asr, score, completed_at, time_record, created_at }: JsonObject): HistoryPoint {
  const finishedAt = textOf(completed_at) ?? textOf(objectOf(time_record)['completed_at']) ?? textOf(created_at);
  return { id: String(uuid), name: textOf(name), finishedAt, asr: numberOf(asr), score: numberOf(score) };
}

function ordered(points: readonly HistoryPoint[]): HistoryPoint[] {
  const unique = [...new Map(points.map((point) => [point.id, point])).values()];
  const at = ({ finishedAt }: HistoryPoint) => timeOf(finishedAt) ?? 0;
  return unique.sort((a, b) => at(a) - at(b));
}

function newest(points: readonly HistoryPoint[], ids: readonly string[]): HistoryPoint[] {
  const first = points.length - MAX_POINTS;
  return points.filter(({ id }, index) => index >= first || ids.includes(id));
}
