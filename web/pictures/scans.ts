/** The scans of the tenant that have a report. */
import { textOf } from '../entries/cells.ts';
import { type Row, recordsOf } from './parts.tsx';

const LISTS = ['aisec-redteam-scans-list', 'aisec-model-security-scans-list'];

/** Lists the scans that the caller may see, newest first. @throws ApiError if no list can be read */
export async function listScans(signal: AbortSignal) {
  const read = await Promise.allSettled(LISTS.map((command) => recordsOf(command, signal)));
  const rows = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const failed = read.find((each) => each.status === 'rejected');
  if (rows.length === 0 && failed?.reason instanceof Error) throw failed.reason;
  return rows.map(scanOf).sort((one, other) => other.date.localeCompare(one.date));
}

function scanOf({ uuid, name, target_name, model_uri, job_type, status, eval_outcome, created_at }: Row) {
  return {
    id: textOf(uuid),
    title: `${textOf(target_name ?? model_uri)} ${textOf(name)}`.trim(),
    kind: job_type === undefined ? 'model scan' : `${textOf(job_type).toLowerCase()} red-team scan`,
    state: textOf(eval_outcome ?? status),
    date: textOf(created_at),
  };
}
