/** Reports of scans: what each detector found. */
import { scanner } from '../../api/call.ts';
import type { Api } from '../../api/client.ts';
import { path } from '../../api/path.ts';
import { NotFoundError } from '../../engine/errors.ts';
import { type JsonObject, objectOf, objectsOf } from '../../engine/json.ts';
import type { Clock } from '../../engine/ports.ts';

/** A report is written after the scan has been answered. */
const ATTEMPTS = 6;
const PAUSE_MS = 1000;
/** The limit of one request; source: `docs/wire.md`. */
const IDS_PER_REQUEST = 5;

/** A scan whose report is wanted. */
export interface Reported {
  readonly reportId: string;
  /** The number of the prompt, where one report has several. */
  readonly row?: number | undefined;
}

/** The findings of the detectors. */
export type Detections = readonly JsonObject[];

/**
 * Fetches the report of one scan, and asks again for a few seconds while it is not ready.
 * @returns its detections; undefined if there is no report
 */
export async function scanReport(
  reportId: string,
  api: Api,
  clock: Pick<Clock, 'wait'>,
): Promise<Detections | undefined> {
  const [found] = await scanReports([{ reportId }], api, clock);
  return found;
}

/**
 * Fetches the reports of several scans, and asks again for a few seconds while any of them is not ready.
 * @returns the detections of each scan, in their order; undefined where there is no report
 */
export async function scanReports(
  scans: readonly Reported[],
  api: Api,
  clock: Pick<Clock, 'wait'>,
): Promise<(Detections | undefined)[]> {
  const found: (Detections | undefined)[] = scans.map(() => undefined);
  const isOpen = (at: number) => found[at]?.some(isPending) ?? true;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const open = scans.filter((_, at) => isOpen(at)).map(({ reportId }) => reportId);
    if (open.length === 0) break;
    if (attempt > 1) await clock.wait(PAUSE_MS);
    const rows = await reportsOf([...new Set(open)], api);
    for (const [at, scan] of scans.entries()) {
      const row = isOpen(at) ? rows.find((each) => isOf(scan, each)) : undefined;
      if (row !== undefined) found[at] = objectsOf(row['detection_results']);
    }
  }
  return found;
}

function isOf({ reportId, row }: Reported, { report_id, req_id }: JsonObject): boolean {
  return report_id === reportId && (row === undefined || req_id === undefined || req_id === row);
}

async function reportsOf(ids: readonly string[], api: Api): Promise<JsonObject[]> {
  const pages: (readonly JsonObject[])[] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_REQUEST) {
    const report_ids = ids.slice(at, at + IDS_PER_REQUEST).join(',');
    try {
      const call = { ...scanner.get(path`/v1/scan/reports`, { report_ids }), array: true };
      pages.push(objectsOf(objectOf(await api.fetch(call))['items']));
    } catch (thrown) {
      if (!(thrown instanceof NotFoundError)) throw thrown;
    }
  }
  return pages.flat();
}

/** The explanation of an ungrounded response arrives after the rest. */
function isPending({ result_detail }: JsonObject): boolean {
  return objectOf(objectOf(result_detail)['cg_report'])['status'] === 'pending';
}
