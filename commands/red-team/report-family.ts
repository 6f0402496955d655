/** Selects the report of a scan by its type, as the scan itself reports it. */

import { type Tools, text, uuid } from '../../lib/runtime/engine/declare.ts';
import { RED_TEAM_SCANS } from '../lookups.ts';
import { scanWith } from './scan-progress.ts';
import { typeOf } from './scan-quota.ts';

export const job_id = uuid('Identifier of the scan.', { lookup: RED_TEAM_SCANS, required: true, positional: true });

export const job_type = text('Type of the scan; the type that the scan itself reports takes precedence.', {
  default: 'STATIC',
  hints: ['STATIC', 'DYNAMIC', 'CUSTOM'],
});

/** Hints for a 403 or a 404 response to a request for findings. */
export const FINDINGS = {
  403: 'A scan that is PARTIALLY_COMPLETE keeps its findings locked: !aisec-redteam-report-generate-partial unlocks them, for one quota credit. Otherwise ask the tenant to give the API client a role that permits this.',
  404: 'The report exists once the scan has ended, and each type has its own report: check status and type with !aisec-redteam-scan-get.',
} as const;

/** Reads the type of a scan, and notes if it differs from the job_type argument. */
export async function ownType(args: { job_id: string; job_type: string }, { api, note }: Tools): Promise<string> {
  const expected = args.job_type.toUpperCase();
  const own = typeOf(await api.fetch(scanWith(args.job_id)), expected);
  if (own !== expected) note(`The scan is ${own}, so job_type=${args.job_type} is ignored.`);
  return own;
}

/** Returns the path segment of a type; custom reports have a path below the static reports. */
export function familyOf(type: string): 'static' | 'dynamic' {
  return type === 'DYNAMIC' ? 'dynamic' : 'static';
}
