/** What a scan costs, for those who rehearse it. */
import { cell, type JsonObject, objectOf, path, redTeamData, type Tools } from '../../lib/declare.ts';

/** Detects a used-up quota by its error code, because it has no status of its own. */
export const QUOTA = {
  402: 'See what is left with !aisec-redteam-metering-quota; ask for more, or wait until it is renewed.',
} as const;

/** The quota of each type of scan. A POST that only reads. */
const quotas = redTeamData.post(path`/v1/metering/quota`, undefined, { reads: true });

/** Shows what one more credit does to the quota of a type of scan, such as `STATIC`. */
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

/** The type of a scan, or what it is taken for when the scan does not say. */
export function typeOf({ job_type }: JsonObject, otherwise: string): string {
  return typeof job_type === 'string' && job_type !== '' ? job_type : otherwise;
}
