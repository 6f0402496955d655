/** Reports of scans: the findings of each detector. */

import { NotFoundError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import { anyOf, list, object, textsOf } from '../../core/received.ts';
import { scanner } from '../../runtime/api/call.ts';
import type { Api } from '../../runtime/api/client.ts';
import { path } from '../../runtime/api/path.ts';

/** The service writes a report after it has answered the scan. */
const ATTEMPTS = 6;
const PAUSE_MS = 1000;
/** Maximum reports per request; source: `docs/wire.md`. */
const IDS_PER_REQUEST = 5;

/** A scan whose report is requested. */
export interface Reported {
  readonly reportId: string;
  /** Number of the prompt, if one report covers several prompts. */
  readonly row?: number | undefined;
}

const readDetections = list({
  detection_service: String,
  data_type: anyOf,
  verdict: anyOf,
  action: anyOf,
  result_detail: object({
    topic_guardrails_report: object({
      blockedTopics: textsOf,
      allowedTopics: textsOf,
      blocked_topic_list: anyOf,
      allowed_topic_list: anyOf,
    }),
    tc_report: object({ toxic_categories: textsOf, confidence: anyOf }),
    urlf_report: list({ url: anyOf, categories: textsOf }),
    dlp_report: object({ dlp_profile_name: anyOf, data_pattern_detection_offsets: list({ name: anyOf }) }),
    dbs_report: list({ sub_type: anyOf }),
    agent_report: object({ agent_patterns: list({ category_type: anyOf }) }),
    mc_report: object({ code_analysis_by_type: list({ file_type: anyOf }) }),
    cg_report: object({ status: anyOf, category: anyOf, explanation: anyOf }),
  }),
});

export type Detections = ReturnType<typeof readDetections>;

const readReports = object({
  items: list({ report_id: anyOf, req_id: anyOf, detection_results: readDetections }),
});

type Report = ReturnType<typeof readReports>['items'][number];

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
 * @param attempts maximum number of requests for each report
 * @returns the detections of each scan, in the order of the scans; undefined for a scan without a report
 */
export async function scanReports(
  scans: readonly Reported[],
  api: Api,
  clock: Pick<Clock, 'wait'>,
  attempts = ATTEMPTS,
): Promise<(Detections | undefined)[]> {
  const found: (Detections | undefined)[] = scans.map(() => undefined);
  // The explanation of an ungrounded response arrives after the other details.
  const isOpen = (at: number) =>
    found[at]?.some(({ result_detail: { cg_report } }) => cg_report.status === 'pending') ?? true;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const open = scans.filter((_, at) => isOpen(at)).map(({ reportId }) => reportId);
    if (open.length === 0) break;
    if (attempt > 1) await clock.wait(PAUSE_MS);
    const reports = await reportsOf([...new Set(open)], api);
    for (const [at, scan] of scans.entries()) {
      const report = isOpen(at) ? reports.find((each) => isOf(scan, each)) : undefined;
      if (report !== undefined) found[at] = report.detection_results;
    }
  }
  return found;
}

function isOf({ reportId, row }: Reported, { report_id, req_id }: Report): boolean {
  return report_id === reportId && (row === undefined || req_id === undefined || req_id === row);
}

async function reportsOf(ids: readonly string[], api: Api): Promise<Report[]> {
  const pages: (readonly Report[])[] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_REQUEST) {
    const report_ids = ids.slice(at, at + IDS_PER_REQUEST).join(',');
    try {
      const call = { ...scanner.get(path`/v1/scan/reports`, { report_ids }), array: true };
      pages.push(readReports(await api.fetch(call)).items);
    } catch (thrown) {
      if (!(thrown instanceof NotFoundError)) throw thrown;
    }
  }
  return pages.flat();
}
