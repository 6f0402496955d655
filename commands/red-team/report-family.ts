/** Which report a scan has: that follows from its type, which the scan itself knows best. */

import { type Tools, text, uuid } from '../../lib/declare.ts';
import { scanWith } from './scan-progress.ts';
import { typeOf } from './scan-quota.ts';

export const job_id = uuid('Identifier of the scan.', { required: true, positional: true });

export const job_type = text('Type of the scan; the type that the scan itself reports takes precedence.', {
  default: 'STATIC',
  hints: ['STATIC', 'DYNAMIC', 'CUSTOM'],
});

/** What a 403 and a 404 may mean where the findings of a scan are read. */
export const FINDINGS = {
  403: 'A scan that is PARTIALLY_COMPLETE keeps its findings locked: !aisec-redteam-report-generate-partial unlocks them, for one quota credit. Otherwise ask the tenant for a role that permits this to the API client.',
  404: 'There is a report once the scan has ended, and each type has one of its own: look at both with !aisec-redteam-scan-get.',
} as const;

/** The type of a scan, as the scan says; a word about it where it is not the type that was given. */
export async function ownType(given: { job_id: string; job_type: string }, { api, note }: Tools): Promise<string> {
  const expected = given.job_type.toUpperCase();
  const own = typeOf(await api.fetch(scanWith(given.job_id)), expected);
  if (own !== expected) note(`The scan is ${own}: this counts, and not job_type=${given.job_type}.`);
  return own;
}

/** The part of an address that stands for the type; what is not dynamic is served beside the static reports. */
export function familyOf(type: string): 'static' | 'dynamic' {
  return type === 'DYNAMIC' ? 'dynamic' : 'static';
}
