/** The scans of the tenant that have a report. */
import { commands } from '../state.ts';
import { recordsOf, textOf } from './parts.tsx';

export interface ListedScan {
  readonly id: string;
  readonly kind: 'Red team' | 'Model';
  /** Target or model. */
  readonly subject: string;
  readonly name: string;
  /** Such as STATIC; empty for a model scan. */
  readonly type: string;
  readonly state: string;
  readonly date: string;
}

const LISTS = [
  { command: 'aisec-redteam-scans-list', of: redTeamScan },
  { command: 'aisec-model-security-scans-list', of: modelScan },
] as const;

/** Lists the scans that the caller may see, newest first. @throws ApiError if no list can be read */
export async function listScans(signal: AbortSignal): Promise<readonly ListedScan[]> {
  const lists = LISTS.filter(({ command }) => commands.value.has(command));
  const read = await Promise.allSettled(
    lists.map(async ({ command, of }) => (await recordsOf(command, { limit: 100 }, signal)).map(of)),
  );
  const scans = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const failed = read.find((each) => each.status === 'rejected');
  if (scans.length === 0 && failed?.reason instanceof Error) throw failed.reason;
  return scans.sort((one, other) => other.date.localeCompare(one.date));
}

type Row = Readonly<Record<string, unknown>>;

function redTeamScan({ uuid, name, target_name, job_type, status, created_at }: Row): ListedScan {
  const about = { id: textOf(uuid), name: textOf(name), subject: textOf(target_name), type: textOf(job_type) };
  return { ...about, kind: 'Red team', state: textOf(status), date: textOf(created_at) };
}

function modelScan({ uuid, model_uri, eval_outcome, created_at }: Row): ListedScan {
  const about = { id: textOf(uuid), name: '', subject: textOf(model_uri), type: '' };
  return { ...about, kind: 'Model', state: textOf(eval_outcome), date: textOf(created_at) };
}

/** Lists the completed scans with which a red-team scan can be compared. */
export function comparableWith(id: string, scans: readonly ListedScan[]): readonly ListedScan[] {
  const own = scans.find((scan) => scan.id === id);
  if (own?.kind !== 'Red team' || own.state !== 'COMPLETED') return [];
  const others = scans.filter(
    ({ kind, type, state, id: other }) =>
      kind === own.kind && type === own.type && state === 'COMPLETED' && other !== id,
  );
  return others.sort((one, other) => Number(other.subject === own.subject) - Number(one.subject === own.subject));
}

/** Returns the ids of two scans, the earlier scan first. */
export function inOrder(id: string, other: ListedScan, scans: readonly ListedScan[]): readonly [string, string] {
  const date = scans.find((scan) => scan.id === id)?.date ?? '';
  return other.date <= date ? [other.id, id] : [id, other.id];
}
