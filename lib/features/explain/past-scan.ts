/** Fetches an earlier scan by its id, as far as the service keeps it. */
import { scanner } from '../../api/call.ts';
import type { Api } from '../../api/client.ts';
import { path } from '../../api/path.ts';
import { NotFoundError, ResponseError } from '../../core/errors.ts';
import { type JsonObject, objectOf } from '../../core/json.ts';
import type { Clock } from '../../core/ports.ts';
import { list, numberOf, textOf } from '../../core/received.ts';
import { milliseconds } from '../../text/date.ts';
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

/** The report of a scan appears within seconds; an older scan has it already, or never. */
const FRESH_MS = 60_000;

const readResults = list({ scan_id: textOf, req_id: numberOf, status: textOf, result: objectOf });
type Kept = ReturnType<typeof readResults>[number];

/**
 * Fetches verdicts and reports of a scan. Source: `docs/wire.md`.
 * @param scanId in full
 * @throws NotFoundError if the service keeps nothing under this id; ResponseError if its answer has other scans
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
  if (all.length > 0 && own.length === 0)
    throw new ResponseError(`The service answered with other scans than ${scanId}.`);
  if (own.length === 0) throw gone(scanId);
  return onePerPrompt(own);
}

/** A prompt may have several items: a verdict wins. */
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
  // A scan without a time may be new.
  return typeof time !== 'number' || now - time < FRESH_MS;
}

function gone(scanId: string, { status, requestId }: Partial<NotFoundError> = {}): NotFoundError {
  return new NotFoundError(`The service keeps no scan ${scanId}.`, {
    hint: 'Check the id, and that it is of this tenant: the service forgets the results of old scans.',
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
  });
}
