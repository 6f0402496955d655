/** The scans of the tenant that have a report. */
import { type Row, recordsOf, textOf } from './parts.tsx';

export interface ListedScan {
  readonly id: string;
  /** Target or model. */
  readonly subject: string;
  readonly name: string;
  /** Such as `static red-team scan`. */
  readonly kind: string;
  readonly state: string;
  readonly date: string;
}

/** Lists the scans that the caller may see, newest first. @throws ApiError if no list can be read */
export async function listScans(signal: AbortSignal): Promise<readonly ListedScan[]> {
  const read = await Promise.allSettled([
    recordsOf('aisec-redteam-scans-list', signal).then((rows) => rows.map(redTeamScan)),
    recordsOf('aisec-model-security-scans-list', signal).then((rows) => rows.map(modelScan)),
  ]);
  const scans = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const failed = read.find((each) => each.status === 'rejected');
  if (scans.length === 0 && failed?.reason instanceof Error) throw failed.reason;
  return scans.sort((one, other) => other.date.localeCompare(one.date));
}

function redTeamScan({ uuid, name, target_name, job_type, status, created_at }: Row): ListedScan {
  const kind = `${textOf(job_type).toLowerCase()} red-team scan`;
  const about = { id: textOf(uuid), subject: textOf(target_name), name: textOf(name), kind };
  return { ...about, state: textOf(status), date: textOf(created_at) };
}

function modelScan({ uuid, model_uri, eval_outcome, created_at }: Row): ListedScan {
  const about = { id: textOf(uuid), subject: textOf(model_uri), name: '', kind: 'model scan' };
  return { ...about, state: textOf(eval_outcome), date: textOf(created_at) };
}

/** Lists the addresses of comparisons with the other completed scans of a kind, the earlier scan first. */
export function comparisonsOf(id: string, scans: readonly ListedScan[]) {
  const own = scans.find((scan) => scan.id === id);
  if (own?.state !== 'COMPLETED') return [];
  return scans
    .filter((each) => each.kind === own.kind && each.state === 'COMPLETED' && each.id !== id)
    .sort((one, other) => Number(other.subject === own.subject) - Number(one.subject === own.subject))
    .map((other) => ({ other, ids: other.date <= own.date ? [other.id, id] : [id, other.id] }));
}
