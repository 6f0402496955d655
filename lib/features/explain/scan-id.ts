/** Finds the full id of a scan that a person names by a prefix. */
import { management } from '../../api/call.ts';
import type { Api } from '../../api/client.ts';
import { path } from '../../api/path.ts';
import { CancelledError, NotFoundError, PreconditionError, toAisecError, UsageError } from '../../core/errors.ts';

const FULL_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const PREFIX = /^[0-9a-f][0-9a-f-]{3,35}$/i;
const MAX_LISTED = 500;
const MAX_CANDIDATES = 10;
/** The longest window that the dashboard knows. */
const WINDOW = { time_interval: '60', time_unit: 'days' } as const;

/**
 * Returns the id of a scan: a full id as typed, or the only scan whose id begins so. Candidates are the scans of the
 * war room, then the violations of the tenant, in one list call: the service lists no allowed scan.
 * @param typed the id of a scan or of its report, or at least four characters of it
 * @param ids of the scans of the war room
 * @throws UsageError for a text that begins no id; NotFoundError if nothing fits; PreconditionError if several scans fit
 */
export async function scanIdOf(typed: string, ids: readonly string[], api: Api): Promise<string> {
  const text = typed.trim().replace(/^R(?=[0-9a-f])/i, '');
  if (FULL_ID.test(text)) return text;
  if (!PREFIX.test(text)) {
    throw new UsageError(`"${typed.slice(0, 60)}" is not the id of a scan.`, {
      hint: 'Give the scan_id or the report_id of a scan, or at least the first four characters.',
    });
  }
  const known = fitting(text, ids);
  const [only] = known;
  if (only !== undefined && known.length === 1) return only;
  if (known.length > 1) throw ambiguous(text, known);
  const listed = await violations(text, api);
  const found = fitting(text, listed);
  const [first] = found;
  if (first === undefined) throw notListed(text);
  // A scan beyond the end of the list could begin in the same way.
  if (found.length > 1 || listed.length >= MAX_LISTED) throw ambiguous(text, found);
  return first;
}

function fitting(prefix: string, ids: readonly string[]): string[] {
  return [...new Set(ids)].filter((id) => id.toLowerCase().startsWith(prefix.toLowerCase()));
}

function scanIds(records: readonly Readonly<Record<string, unknown>>[]): string[] {
  return records.flatMap(({ scan_id }) => (typeof scan_id === 'string' && scan_id !== '' ? [scan_id] : []));
}

/** Lists violations from an undocumented address that public clients of the service use. */
async function violations(prefix: string, api: Api): Promise<string[]> {
  const options = { items: 'items', limit: MAX_LISTED, query: WINDOW, paging: 'skip' } as const;
  try {
    const { records } = await api.list(management.list(path`/v1/mgmt/dashboard/v2/violations/list`, options));
    return scanIds(records);
  } catch (thrown) {
    const error = toAisecError(thrown);
    if (error instanceof CancelledError) throw error;
    throw new NotFoundError(`The scans that begin with ${prefix} cannot be looked up: ${error.message}`, {
      hint: 'Give the full id of the scan.',
    });
  }
}

function notListed(prefix: string): NotFoundError {
  return new NotFoundError(`No scan that the service lists begins with ${prefix}.`, {
    hint: 'Give the full id: the service lists only the scans that it blocked in the last 60 days.',
  });
}

function ambiguous(prefix: string, ids: readonly string[]): PreconditionError {
  const shown = ids.slice(0, MAX_CANDIDATES);
  const more = ids.length > shown.length ? `, and ${ids.length - shown.length} more` : '';
  const message =
    ids.length > 1
      ? `${ids.length} scans begin with ${prefix}.`
      : `More scans than the listed ${MAX_LISTED} may begin with ${prefix}.`;
  return new PreconditionError(message, { hint: `Give the full id: ${shown.join(', ')}${more}.` });
}
