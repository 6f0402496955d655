/** Decides, from scans and their reports, which prompts were on a topic. */

import { anyOf, numberOf, object, textOf } from '../../core/received.ts';
import { isBulkEnd } from '../../runtime/bulk/end.ts';
import { isIncomplete, type Reading, readCompleteness, readRow } from '../../runtime/output/verdict.ts';
import type { Detections, Reported } from '../explain/scan-report.ts';
import type { TopicInForce } from './in-force.ts';

/** Why a prompt has no answer, or whether it was on the topic. */
export type Hit = boolean | { readonly unknown: string };

/** Fetches reports, in the order of the scans. */
export type FetchReports = (scans: readonly Reported[]) => Promise<readonly (Detections | undefined)[]>;

const TOPIC = 'topic_violation';

const readMembers = object({
  row: numberOf,
  status: textOf,
  scan_id: textOf,
  report_id: textOf,
  prompt_detected: object({ [TOPIC]: anyOf }),
});

interface Row extends ReturnType<typeof readMembers> {
  readonly reading: Reading;
}

/**
 * Decides for each prompt of a bulk scan. The report says which topic matched, because a profile may have several; a
 * prompt without a violation is not on a blocking topic, and needs no report.
 * @param records rows of the bulk scan, numbered from 1
 * @param count number of prompts
 */
export async function hitsOf(
  records: readonly unknown[],
  count: number,
  topic: TopicInForce,
  reports: FetchReports,
): Promise<readonly Hit[]> {
  const all = records
    .filter((each) => !isBulkEnd(each))
    .map((each) => ({ ...readMembers(each), reading: wholeReading(each) }));
  const rows = new Map(all.map((row) => [row.row, row]));
  const hits: Hit[] = Array.from({ length: count }, (_, at) => firstLook(rows.get(at + 1), topic));
  const open = hits.flatMap((hit, at) => {
    const row = rows.get(at + 1);
    return row !== undefined && hit === REPORTED ? [{ at, row }] : [];
  });
  // A batch has one report for all of its prompts; the report numbers them by row.
  const found = await reports(open.map(({ row }) => ({ reportId: reportIdOf(row), row: row.row })));
  for (const [index, { at }] of open.entries()) hits[at] = inReport(found[index], topic);
  return hits;
}

/** Checks whether a scan is complete: a block with a failed detector says nothing about a topic. */
function wholeReading(row: unknown): Reading {
  const reading = readRow(row);
  return reading.decision === 'block' ? readCompleteness(row) : reading;
}

const REPORTED: Hit = { unknown: 'The report is not read yet.' };

function reportIdOf({ report_id, scan_id }: Row): string {
  return report_id ?? `R${scan_id ?? ''}`;
}

function firstLook(row: Row | undefined, { action }: TopicInForce): Hit {
  if (row === undefined) return { unknown: 'not scanned' };
  const { reading, prompt_detected, status } = row;
  if (reading.decision === 'none') {
    return {
      unknown: isIncomplete(reading) ? 'a detector timed out or failed' : `no verdict (${status ?? 'unknown'})`,
    };
  }
  if (reading.detectors.includes(TOPIC)) return REPORTED;
  if (prompt_detected[TOPIC] !== false) return { unknown: 'the topics were not checked' };
  return action === 'block' ? false : REPORTED;
}

function inReport(detections: Detections | undefined, { topic, action, isOnly }: TopicInForce): Hit {
  if (detections === undefined) return { unknown: 'no report' };
  const reports = detections
    .map(({ result_detail }) => result_detail.topic_guardrails_report)
    .map(({ blockedTopics, allowedTopics, blocked_topic_list, allowed_topic_list }) =>
      action === 'block'
        ? { names: blockedTopics, state: blocked_topic_list }
        : { names: allowedTopics, state: allowed_topic_list },
    );
  const names = reports.flatMap((report) => report.names);
  if (names.some((name) => name.trim().toLowerCase() === topic.toLowerCase())) return true;
  if (names.length > 0) return false;
  const states = reports.flatMap(({ state }) => (typeof state === 'string' ? state.trim().toUpperCase() : []));
  if (states.includes('MATCHED')) return isOnly ? true : { unknown: 'the report does not name the topic' };
  return states.some((state) => /^NOT[ _]MATCHED$/.test(state)) ? false : { unknown: 'the report has no topics' };
}
