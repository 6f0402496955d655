/** Finds an earlier scan by its id or a prefix of it, if the service still keeps the scan. */

import {
  CancelledError,
  NotFoundError,
  PreconditionError,
  ResponseError,
  toAisecError,
  UsageError,
} from '../../core/errors.ts';
import { type JsonObject, objectOf } from '../../core/json.ts';
import type { Clock } from '../../core/ports.ts';
import { list, numberOf, textOf } from '../../core/received.ts';
import { milliseconds } from '../../core/text/date.ts';
import { management, scanner } from '../../runtime/api/call.ts';
import type { Api } from '../../runtime/api/client.ts';
import { path } from '../../runtime/api/path.ts';
import { type Detections, scanReports } from './scan-report.ts';

/** One prompt of a scan. */
export interface PastRow {
  /** Number of the prompt in its batch; undefined for a single scan. */
  readonly row: number | undefined;
  /** As the service sends it, in lower case; `complete` is a verdict. */
  readonly status: string;
  /** The response of the scan; empty without a verdict. */
  readonly response: JsonObject;
  /** Undefined if there is no report. */
  readonly detections: Detections | undefined;
}

export interface PastScan {
  readonly scanId: string;
  /** In the order of their prompts. */
  readonly rows: readonly PastRow[];
}

/** A scan's report appears within seconds; an older scan has its report already, or never will. */
const FRESH_MS = 60_000;

const readResults = list({ scan_id: textOf, req_id: numberOf, status: textOf, result: objectOf });
type Kept = ReturnType<typeof readResults>[number];

/**
 * Fetches verdicts and reports of a scan. Source: `docs/wire.md`.
 * @param scanId in full
 * @throws NotFoundError if the service keeps nothing under this id; ResponseError if its answer contains other scans
 */
export async function pastScan(scanId: string, api: Api, clock: Pick<Clock, 'now' | 'wait'>): Promise<PastScan> {
  const kept = await resultsOf(scanId, api);
  const complete = kept.filter(isComplete);
  const isFresh = complete.some(({ result }) => isWithin(result['completed_at'], clock.now()));
  const reported = complete.map(({ req_id, result }) => ({ reportId: reportIdOf(scanId, result), row: req_id }));
  const found = await scanReports(reported, api, clock, isFresh ? undefined : 1);
  const detections = new Map(complete.map((each, at) => [each, found[at]]));
  return {
    scanId,
    rows: kept.map((each) => ({
      row: each.req_id,
      status: statusOf(each),
      response: isComplete(each) ? each.result : {},
      detections: detections.get(each),
    })),
  };
}

async function resultsOf(scanId: string, api: Api): Promise<readonly Kept[]> {
  const call = { ...scanner.get(path`/v1/scan/results`, { scan_ids: scanId }), array: true };
  const answer = await api.fetch(call).catch((thrown: unknown) => {
    throw thrown instanceof NotFoundError ? gone(scanId, thrown) : thrown;
  });
  const all = readResults(answer['items']);
  const own = all.filter(({ scan_id }) => scan_id?.toLowerCase() === scanId.toLowerCase());
  if (all.length > 0 && own.length === 0) throw new ResponseError(`The service sent scans other than ${scanId}.`);
  if (own.length === 0) throw gone(scanId);
  return onePerPrompt(own);
}

/** A prompt may have several result items; an item with a verdict wins. */
function onePerPrompt(items: readonly Kept[]): Kept[] {
  const rows = new Map<number | undefined, Kept>();
  for (const item of items) {
    const before = rows.get(item.req_id);
    if (before === undefined || !isComplete(before)) rows.set(item.req_id, item);
  }
  return [...rows.values()].sort((one, other) => (one.req_id ?? 0) - (other.req_id ?? 0));
}

function statusOf({ status = 'unknown' }: Kept): string {
  const word = status.trim().toLowerCase();
  return word === 'completed' ? 'complete' : word;
}

function isComplete(item: Kept): boolean {
  return statusOf(item) === 'complete' && Object.keys(item.result).length > 0;
}

function reportIdOf(scanId: string, result: JsonObject): string {
  return textOf(result['report_id']) ?? `R${scanId}`;
}

function isWithin(completedAt: unknown, now: number): boolean {
  const time = milliseconds(completedAt);
  // A scan without a timestamp may be new.
  return typeof time !== 'number' || now - time < FRESH_MS;
}

function gone(scanId: string, { status, requestId }: Partial<NotFoundError> = {}): NotFoundError {
  return new NotFoundError(`The service keeps no scan ${scanId}.`, {
    hint: 'Check the id, and that it belongs to this tenant: the service forgets the results of old scans.',
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
  });
}

const FULL_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const PREFIX = /^[0-9a-f][0-9a-f-]{3,35}$/i;
const MAX_LISTED = 500;
const MAX_CANDIDATES = 10;
/** The longest time range that the service's dashboard offers. */
const WINDOW = { time_interval: '60', time_unit: 'days' } as const;

/**
 * Returns a scan id: a full id as typed, or the id of the only scan that begins with the typed prefix. Candidates are
 * the scans of the war room, then the tenant's violations, in one list call: the service does not list allowed scans.
 * @param typed a scan id or report id, or at least its first four characters
 * @param ids of the scans of the war room
 * @throws UsageError for a string that cannot be the start of an id; NotFoundError if no scan matches; PreconditionError if
 * several scans match
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
  // A scan beyond the end of the list could have the same prefix.
  if (found.length > 1 || listed.length >= MAX_LISTED) throw ambiguous(text, found);
  return first;
}

function fitting(prefix: string, ids: readonly string[]): string[] {
  return [...new Set(ids)].filter((id) => id.toLowerCase().startsWith(prefix.toLowerCase()));
}

function scanIds(records: readonly Readonly<Record<string, unknown>>[]): string[] {
  return records.flatMap(({ scan_id }) => (typeof scan_id === 'string' && scan_id !== '' ? [scan_id] : []));
}

/** Lists violations from an undocumented endpoint that public clients of the service use. */
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
