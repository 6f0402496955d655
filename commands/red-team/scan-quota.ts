/** Shows the cost of a scan in a dry run. */
import { cell, type JsonObject, objectOf, path, redTeamData, type Tools } from '../../lib/runtime/engine/declare.ts';

/** Detects an exceeded quota by its error code, because it has no distinct status. */
export const QUOTA = {
  402: 'Check the remaining quota with !aisec-redteam-metering-quota; ask for more, or wait until it is renewed.',
} as const;

/** Request for the quotas: a POST that only reads. */
const quotas = redTeamData.post(path`/v1/metering/quota`, undefined, { readOnly: true });

/** Shows the quota of a scan type, such as `STATIC`, before and after using one more credit. */
export async function showCost(type: string, { api, show, note }: Tools): Promise<void> {
  const { allocated, consumed, unlimited } = objectOf((await api.fetch(quotas))[type.toLowerCase()]);
  const after = typeof consumed === 'number' ? consumed + 1 : undefined;
  show({
    title: 'Quota',
    columns: ['Type', 'Allocated', 'Consumed', 'After This'],
    rows: [[type, unlimited === true ? 'unlimited' : cell(allocated), cell(consumed), cell(after)]],
  });
  if (unlimited !== true && typeof allocated === 'number' && after !== undefined && after > allocated) {
    note(`The quota of ${type} scans is used up: the service would refuse this.`);
  }
}

/** Returns the type of a scan, or the fallback. */
export function typeOf({ job_type }: JsonObject, otherwise: string): string {
  return typeof job_type === 'string' && job_type !== '' ? job_type : otherwise;
}
